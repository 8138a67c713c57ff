/**
 * Node's option that a server runs with: V8 reads the size of its young generation only when it starts. What a send keeps
 * while its provider works is copied once in this one, and twice in the usual one of 32 MB, after which it counts as old.
 */
export const serverOption = "--max-semi-space-size=64"

/** Whether somebody has chosen a size: for this process, or for all. */
export const isSizeChosen = () =>
  [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((words) => /max[-_]semi[-_]space/.test(words))
