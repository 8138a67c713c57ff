import { Role } from "../../../../domain/people/Actor.ts"
import type { Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import type { FieldErrors } from "../../parts/fields/FieldErrors.ts"
import { selectField } from "../../parts/fields/Fields.ts"

const roles = {
  owner: ["Owner", "مالک", "also manages users and tokens", "کاربران و توکن‌ها را هم مدیریت می‌کند"],
  developer: ["Developer", "برنامه‌نویس", "changes the set-up", "تنظیمات را تغییر می‌دهد"],
  viewer: ["Viewer", "بیننده", "reads", "می‌خواند"]
} as const

export const roleName = (role: Role, { say }: View["locale"]): string => say(roles[role][0], roles[role][1])

export const roleField = ({ say }: View["locale"], value: string, errors: FieldErrors): Html =>
  selectField({
    name: "role",
    label: say("Role", "نقش"),
    value,
    choices: Role.literals.map((role) => {
      const [english, persian, does, inPersian] = roles[role]
      return [role, say(`${english}: ${does}`, `${persian}: ${inPersian}`)] as const
    }),
    errors
  })
