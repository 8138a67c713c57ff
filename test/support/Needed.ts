// @effect-diagnostics processEnv:off
/** Tests of what may not be installed are skipped, and the run says so; in CI, where nobody reads that, they fail. */

const isCi = ({ CI = "" }: NodeJS.ProcessEnv): boolean => !["", "0", "false"].includes(CI)

/** Whether what tests need is there. In CI its absence is an error: `missing` says what to do. */
export const needed = (isThere: boolean, missing: string, env: NodeJS.ProcessEnv = process.env): boolean => {
  if (!isThere && isCi(env)) throw new Error(`CI must not skip tests: ${missing}`)
  return isThere
}
