/** A backup's file as a test reads and forges it. */
import { createHash } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { gunzipSync, gzipSync } from "node:zlib"

/** All lines but the last, which is their checksum. */
export const linesOf = async (file: string): Promise<ReadonlyArray<string>> =>
  gunzipSync(await readFile(file))
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .slice(0, -1)

/** With the checksum that these lines have. */
export const writeLines = async (file: string, lines: ReadonlyArray<string>): Promise<void> => {
  const text = lines.map((line) => `${line}\n`).join("")
  const sha256 = createHash("sha256").update(text).digest("hex")
  await writeFile(file, gzipSync(`${text}${JSON.stringify({ sha256 })}\n`))
}
