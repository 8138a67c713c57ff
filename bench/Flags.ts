import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

const explained = (options: ParseArgsOptionsConfig): string =>
  Object.entries(options)
    .map(
      ([name, { default: byDefault }]) =>
        `  --${name}${byDefault === undefined ? "" : ` (${String(byDefault)})`}`
    )
    .join("\n")

/** The options of a program of the bench. `--help` prints them, and a wrong one ends the program with a sentence. */
export const readFlags = <const Flags extends ParseArgsOptionsConfig>(
  options: Flags,
  args: ReadonlyArray<string> = process.argv.slice(2)
) => {
  if (args.includes("--help")) {
    console.log(`Options, with their defaults; bench/README.md explains them:\n${explained(options)}`)
    process.exit(0)
  }
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n--help lists the options`)
    return process.exit(1)
  }
}
