import { Option, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { type DemoCustomer, demoFile } from "../../layers/customer/DemoCustomer.ts"
import { demoLines } from "./DemoLines.ts"

const FILE_NAME = "demo.txt"

const decodeDemo = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      customer_id: Schema.Int,
      live_key: Schema.String,
      test_key: Schema.String,
      token: Schema.String
    })
  )
)

const readDemo = (file: string): Option.Option<DemoCustomer> => {
  try {
    return decodeDemo(fs.readFileSync(file, "utf8"))
  } catch {
    return Option.none()
  }
}

/** Written completely or not at all, and readable only by its owner: it contains keys. */
const replaceFile = (file: string, text: string): boolean => {
  const draft = `${file}.${process.pid}`
  try {
    fs.rmSync(draft, { force: true })
    fs.writeFileSync(draft, text, { mode: 0o600 })
    fs.renameSync(draft, file)
    return true
  } catch {
    return false
  }
}

/**
 * Writes the demo customer's curl commands next to its keys, for the server's current address. Returns the file; none
 * if there is no demo customer, or if it cannot be written.
 */
export const keepDemoLines = ({ dataDirectory }: Configuration, origin: string): Option.Option<string> =>
  Option.flatMap(readDemo(demoFile(dataDirectory)), (demo) => {
    const file = path.join(dataDirectory, FILE_NAME)
    return replaceFile(file, `${demoLines(origin, demo)}\n`) ? Option.some(file) : Option.none()
  })
