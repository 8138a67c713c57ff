import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, by a run of the whole suite on two cores. */
const longest = [
  "console/browser/Pages",
  "process/load/Soak",
  "clients/packages/ServerPackage",
  "examples/Examples",
  "layers/postgres/embedded/EmbeddedPostgres",
  "process/processes/Processes",
  "contract/account/Contacts",
  "process/store/Pooler",
  "process/store/External",
  "process/store/ReadYourWrites",
  "process/cli/Program",
  "process/store/SilentStore",
  "process/store/StoreNotNow",
  "process/clock/Wait",
  "console/browser/SetUp",
  "console/browser/Developers",
  "process/processes/Limits",
  "process/load/SlowBodies",
  "process/processes/AccountGap",
  "contract/verification/Crash",
  "services/guard/simulation/Simulation"
]

/** Starts long files first, so that none of them runs alone at the end. vitest by itself goes by the size of a file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return found === -1 ? longest.length : found
    }
    // A worker loads its modules again for each project, so the files of a project stay together.
    const projects = new Map<string, Array<TestSpecification>>()
    for (const file of await super.sort(files)) {
      projects.set(file.project.name, [...(projects.get(file.project.name) ?? []), file])
    }
    return [...projects.values()].flatMap((all) => all.toSorted((one, other) => place(one) - place(other)))
  }
}
