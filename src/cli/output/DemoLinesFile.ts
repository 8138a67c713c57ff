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
      token: Schema.optionalKey(Schema.String)
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

/** Whole or not at all, and its owner's alone: it holds keys. */
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
 * Writes the demo customer's curl lines beside its keys, for where the server listens now. The file they are in; none where
 * there is no demo customer, or nothing can be written.
 */
export const keepDemoLines = ({ dataDirectory }: Configuration, origin: string): Option.Option<string> =>
  Option.flatMap(readDemo(demoFile(dataDirectory)), (demo) => {
    const file = path.join(dataDirectory, FILE_NAME)
    return replaceFile(file, `${demoLines(origin, demo)}\n`) ? Option.some(file) : Option.none()
  })
