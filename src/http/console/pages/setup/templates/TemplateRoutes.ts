import { Effect } from "effect"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { change, page } from "../../../frame/SignedRoutes.ts"
import { newPage, submitNew } from "./NewTemplatePage.ts"
import { submitExisting, switchTo } from "./TemplateChanges.ts"
import { existingPage } from "./TemplatePage.ts"
import { NEW_TEMPLATE_PATH, showTemplates, TEMPLATES_PATH } from "./TemplatesPage.ts"
import { untouched } from "./TypedTemplate.ts"

const TEMPLATE_PATH = `${TEMPLATES_PATH}/:id` as const

/** The customer's texts: a list, one at a time with its preview, and a new one. */
export const templatePages = {
  name: "templates",
  routes: [
    page(TEMPLATES_PATH, showTemplates),
    page(NEW_TEMPLATE_PATH, (view) => Effect.succeed(newPage(view, untouched))),
    change(NEW_TEMPLATE_PATH, submitNew),
    page(TEMPLATE_PATH, (view) => Effect.flatMap(pathId, (id) => existingPage(view, id, untouched))),
    change(TEMPLATE_PATH, submitExisting),
    change(`${TEMPLATE_PATH}/enable`, switchTo(true)),
    change(`${TEMPLATE_PATH}/disable`, switchTo(false))
  ]
} as const satisfies ConsolePages
