import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, the longest of each project first, by runs on two cores. */
const longest = [
  "console/browser/Reference.slow",
  "site/browser/Site.slow",
  "console/browser/Pages.slow",
  "console/browser/Widths.slow",
  "clients/packages/LanguageFailures.slow",
  "examples/Quickstarts.slow",
  "examples/Tabs.slow",
  "clients/packages/ServerPackage.slow",
  "layers/postgres/embedded/EmbeddedPostgres.slow",
  "clients/packages/Image.slow",
  "process/load/Soak.slow",
  "process/processes/CustomerMove.slow",
  "process/store/SilentStore.slow",
  "process/store/MoveStore.slow",
  "process/store/Cluster.slow",
  "process/store/Pooler.slow",
  "process/store/StoreNotNow.slow",
  "process/processes/Processes.slow",
  "process/processes/FourProcesses.slow",
  "process/store/ReadYourWrites.slow",
  "process/store/External.slow",
  "console/browser/Kept",
  "console/browser/Reference",
  "console/browser/Sends",
  "console/browser/SetUp",
  "site/browser/Site",
  "console/browser/Passkeys",
  "contract/account/PostedUpdates",
  "contract/account/Contacts",
  "contract/webhook/WebhookListenProxy",
  "examples/ExamplesAlone",
  "process/cli/Program",
  "process/load/SlowBodies",
  "examples/LoginPage",
  "process/store/StoreAdvice",
  "contract/account/Providers",
  "contract/account/Bridges",
  "fuzz/UnstorableForms",
  "contract/guard/Guard",
  "contract/message/MessagesDelivery",
  "examples/Examples",
  "fuzz/Fuzz",
  "fuzz/UnstorableText",
  "contract/system/Logs",
  "http/server/Connections",
  "layers/postgres/WatchedSql",
  "golden/QueryPlans",
  "services/guard/GuardBudgets",
  "services/verification/Reach",
  "services/guard/Guard",
  "services/money/ManageUsage"
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
    const sorted = [...projects.values()].map((all) =>
      all.toSorted((one, other) => place(one) - place(other))
    )
    const firstPlace = ([first]: Array<TestSpecification>) => (first === undefined ? 0 : place(first))
    return sorted.toSorted((one, other) => firstPlace(one) - firstPlace(other)).flat()
  }
}
