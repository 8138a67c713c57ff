import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, by processor time and waits of a run on two cores. */
const longest = [
  "process/store/SilentStore.slow",
  "process/load/Soak.slow",
  "process/store/External.slow",
  "process/store/ReadYourWrites.slow",
  "process/store/Pooler.slow",
  "process/store/StoreNotNow.slow",
  "process/store/Cluster.slow",
  "process/processes/MessageBatches.slow",
  "process/processes/FourProcesses.slow",
  "examples/Quickstarts.slow",
  "clients/packages/Image.slow",
  "clients/packages/ServerPackage.slow",
  "console/browser/Pages.slow",
  "console/browser/Reference",
  "console/browser/Kept",
  "console/browser/SetUp",
  "console/browser/Sends",
  "console/browser/Passkeys",
  "examples/Examples",
  "process/cli/Program",
  "fuzz/UnstorableForms",
  "fuzz/Fuzz",
  "examples/LoginPage",
  "process/load/SlowBodies",
  "console/user/KnownBrowsers",
  "console/Overview",
  "console/user/SignIn",
  "process/store/Backup",
  "contract/system/Logs",
  "contract/account/Contacts",
  "contract/account/PostedUpdates",
  "contract/key/KeyUse",
  "process/clock/Wait",
  "process/clock/Messages",
  "services/money/ManageUsage",
  "services/webhook/WebhookFailures",
  "services/guard/GuardBudgets"
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
