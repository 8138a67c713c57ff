/** Programs in Go and C# that use the clients of the tree, compiled as their users would. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { readdirSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { hasProgram } from "../../support/InstalledPrograms.ts"
import { needed } from "../../support/Needed.ts"
import { root, runProgram } from "./Packed.ts"

export const hasGo = needed(hasProgram("go", "version"), "Go is not installed: apt-get install golang-go")
export const hasMono = needed(
  hasProgram("mcs", "--version") && hasProgram("mono", "--version"),
  "Mono is not installed: apt-get install mono-mcs libmono-system-net-http4.0-cil"
)

const goModule = `module shop
go 1.18
require peyk.internal/peyk v0.0.0
replace peyk.internal/peyk => ${join(root, "clients/go")}
`

/** The program of one Go file. It downloads nothing. */
export const compileGo = async (text: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-go-"))
  await writeFile(join(folder, "go.mod"), goModule)
  await writeFile(join(folder, "main.go"), text)
  const env = { HOME: homedir(), GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" }
  await runProgram("go", ["build", "-o", "program", "."], { cwd: folder, env })
  return join(folder, "program")
}

/**
 * Runs a program, then ends the process at once: Mono's own shutdown waits a minute, in one run of sixty, for a
 * worker of its thread pool that has nothing left to do.
 */
const csharpHost = `using System;
using System.Runtime.InteropServices;
static class Host
{
    [DllImport("libc")]
    static extern void _exit(int status);
    static void Main(string[] arguments)
    {
        var status = AppDomain.CurrentDomain.ExecuteAssembly(arguments[0]);
        Console.Out.Flush();
        _exit(status);
    }
}
`

/** The arguments with which Mono runs the program of one C# file. The client has an assembly of its own. */
export const compileCSharp = async (text: string): Promise<ReadonlyArray<string>> => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-csharp-"))
  const sources = join(root, "clients/csharp/src")
  const files = readdirSync(sources).map((name) => join(sources, name))
  const http = "-r:System.Net.Http.dll"
  const strict = ["-langversion:7", "-warnaserror"]
  await runProgram("mcs", [...strict, "-target:library", "-out:Peyk.dll", http, ...files], { cwd: folder })
  await writeFile(join(folder, "Program.cs"), text)
  await runProgram("mcs", ["-langversion:7", "-out:program.exe", http, "-r:Peyk.dll", "Program.cs"], {
    cwd: folder
  })
  await writeFile(join(folder, "Host.cs"), csharpHost)
  await runProgram("mcs", ["-out:host.exe", "Host.cs"], { cwd: folder })
  return [join(folder, "host.exe"), join(folder, "program.exe")]
}

const programs = join(root, "test/clients/packages/programs")

/** The tests' own programs, compiled once in a process. */
const once = <A>(compile: () => Promise<A>) => {
  let compiled: Promise<A> | undefined
  return () => (compiled ??= compile())
}

export const goProgram = once(async () => compileGo(await readFile(join(programs, "main.go"), "utf8")))
export const csharpProgram = once(async () =>
  compileCSharp(await readFile(join(programs, "Program.cs"), "utf8"))
)
