import type { Reporter, SerializedError, TestModule } from "vitest/node"

const MAX_CHARACTERS = 500

/** Repeats in a few lines what failed, at the end of the output: of a long one, some readers see only the end. */
export class FailureList implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    for (const module of modules) {
      const { children, relativeModuleId: file } = module
      for (const { message } of module.errors()) this.#print(file, message)
      for (const suite of children.allSuites()) {
        for (const { message } of suite.errors()) this.#print(`${file}: ${suite.fullName}`, message)
      }
      for (const test of children.allTests("failed")) {
        this.#print(`${file}: ${test.fullName}`, test.result().errors?.[0]?.message ?? "")
      }
    }
    for (const { message } of unhandled) this.#print("outside of a test", message)
  }

  #print(where: string, message: string): void {
    console.error(`FAILED ${where}\n${message.slice(0, MAX_CHARACTERS)}`)
  }
}
