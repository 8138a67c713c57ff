import type { Reporter, TestModule } from "vitest/node"

const MOST_CHARACTERS = 500

/** Repeats in a few lines what failed, at the end of the output: of a long one, some readers see only the end. */
export class FailureList implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    for (const { children, relativeModuleId } of modules) {
      for (const test of children.allTests("failed")) {
        const [error] = test.result().errors ?? []
        console.error(
          `FAILED ${relativeModuleId}: ${test.fullName}\n${error?.message.slice(0, MOST_CHARACTERS)}`
        )
      }
    }
  }
}
