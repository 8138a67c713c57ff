import { spawn } from "node:child_process"
import { once } from "node:events"
import { globSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { neutralEnvironment } from "../../contract/Server.ts"

let clone: string

/** A clone whose program is two files. */
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), "peyk-clone-"))
  for (const folder of ["bin", "src", "scripts", "node_modules"]) await mkdir(join(clone, folder))
  for (const file of [
    "bin/peyk.js",
    "bin/clone.js",
    "bin/server-options.js",
    "scripts/Bundle.ts",
    "scripts/bundle-clone.ts",
    "package-lock.json"
  ])
    await cp(file, join(clone, file))
  await writeFile(join(clone, "package.json"), '{"type":"module"}')
  await symlink(resolve("node_modules/rolldown"), join(clone, "node_modules/rolldown"))
  await writeFile(
    join(clone, "src/main.ts"),
    'import { word } from "./word.ts"\nconsole.log(word, import.meta.url.startsWith("file:"))\nvoid import("./later.ts")'
  )
  await writeFile(join(clone, "src/later.ts"), 'console.log("later")')
  await sayWord("one")
})
afterEach(() => rm(clone, { recursive: true, force: true }))

const sayWord = (word: string) =>
  writeFile(join(clone, "src/word.ts"), `export const word: string = ${JSON.stringify(word)}\n`)

const start = async (...words: ReadonlyArray<string>) => {
  const { NODE_COMPILE_CACHE: _, ...env } = neutralEnvironment()
  const child = spawn(process.execPath, [join(clone, "bin/peyk.js"), ...words], { env })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
  expect(err).toBe("")
  return out
}

const programs = () => globSync("node_modules/.cache/peyk/program-*/main.js", { cwd: clone })

describe("a clone", () => {
  it("makes its program once, and again after a change that kept the file's size and time", async () => {
    expect(await start()).toBe("one true\nlater\n")
    const [made] = programs()
    expect(made).toBeDefined()
    const { mtimeMs } = await stat(join(clone, made ?? ""))
    expect(await start()).toBe("one true\nlater\n")
    expect(programs()).toEqual([made])
    expect((await stat(join(clone, made ?? ""))).mtimeMs).toBe(mtimeMs)
    const word = join(clone, "src/word.ts")
    const { atime, mtime } = await stat(word)
    await sayWord("two")
    await utimes(word, atime, mtime)
    expect(await start()).toBe("two true\nlater\n")
    await sayWord("one")
    expect(await start()).toBe("one true\nlater\n")
  })

  it("has a whole program where several processes make it at once", async () => {
    const outs = await Promise.all([start(), start(), start()])
    for (const out of outs) expect(out).toMatch(/^one true/)
    const made = programs()
    expect(await start()).toBe("one true\nlater\n")
    expect(programs()).toEqual(made)
    expect(globSync("node_modules/.cache/peyk/draft-*", { cwd: clone })).toEqual([])
  })

  it("names the lines of the source where it fails", async () => {
    await cp("src/layers/system/SourceStacks.ts", join(clone, "src/SourceStacks.ts"))
    await writeFile(
      join(clone, "src/word.ts"),
      'interface Word { readonly text: string }\n\n// no line of these is in the program\nexport const word: Word["text"] = "a"\n\nexport const failing = (): never => {\n  throw new Error("one failed")\n}\n'
    )
    await writeFile(
      join(clone, "src/main.ts"),
      'import { showSourcesInStacks } from "./SourceStacks.ts"\nimport { failing } from "./word.ts"\nshowSourcesInStacks()\nfailing()\n'
    )
    const { NODE_COMPILE_CACHE: _, ...env } = neutralEnvironment()
    const child = spawn(process.execPath, [join(clone, "bin/peyk.js")], { env })
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, "exit")])
    expect(code).toBe(1)
    expect(err).toMatch(/Error: one failed\n    at failing \(src\/word\.ts:7\)\n    at src\/main\.ts:4\n/)
  })

  it("keeps few programs", async () => {
    for (const word of ["a", "b", "c", "d", "e"]) {
      await sayWord(word)
      expect(await start()).toMatch(new RegExp(`^${word} true`))
    }
    expect(programs().length).toBeLessThanOrEqual(3)
  }, 60_000)

  it("makes the program again where a part or the record of it is missing", async () => {
    await start()
    const [part = ""] = globSync("node_modules/.cache/peyk/program-*/later-*.js", { cwd: clone })
    await rm(join(clone, part))
    expect(await start()).toBe("one true\nlater\n")
    expect(programs()).toHaveLength(2)
    for (const record of ["", "{}", '{"program":7,"stamps":[]}', '{"program":"program-none","stamps":{}}']) {
      await writeFile(join(clone, "node_modules/.cache/peyk/program.json"), record)
      expect(await start()).toBe("one true\nlater\n")
    }
  })

  it("runs its source where it has no tools", async () => {
    await rm(join(clone, "scripts"), { recursive: true })
    expect(await start()).toBe("one true\nlater\n")
    expect(programs()).toEqual([])
  })

  it("says what takes long before it does it, and only once", async () => {
    const first = await start("serve")
    expect(first).toMatch(/^Starting Peyk …\nPutting the program together: .*\none true/)
    expect(await start("serve")).toMatch(/^Starting Peyk …\none true/)
    await sayWord("two")
    expect(await start("key", "list")).toMatch(/^two true/)
  })

  it("runs the installed packages that it was made of, and no others", async () => {
    await start()
    const lock = join(clone, "package-lock.json")
    const made = JSON.parse(await readFile(join(clone, "node_modules/.cache/peyk/program.json"), "utf8"))
    expect(Object.keys(made.stamps)).toEqual(
      expect.arrayContaining([
        lock,
        join(clone, "src/later.ts"),
        join(clone, "node_modules/.package-lock.json")
      ])
    )
  })
})
