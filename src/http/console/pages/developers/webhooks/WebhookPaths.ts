import { pathOf } from "../../../Navigation.ts"

export const WEBHOOKS_PATH = pathOf("webhooks")

export const pathFor = (id: number, below = ""): string => `${WEBHOOKS_PATH}/${id}${below}`
