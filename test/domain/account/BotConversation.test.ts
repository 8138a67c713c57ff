import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { BotUpdate, converse } from "../../../src/domain/account/BotConversation.ts"
import { parseContactPhone } from "../../../src/domain/Phone.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const { Spoke, SharedContact, Left } = BotUpdate

const shared = (phone: string, isProven = true) =>
  converse(SharedContact({ chatId: "7", phone, isOwn: true, isProven }), false)

const anyUpdate = Arbitrary.schema(
  Schema.Struct({
    kind: Schema.Literals(["Spoke", "SharedContact", "Left"]),
    phone: Schema.Union([Schema.Literals(["09121234567", "989121234567", "+15551234567"]), Schema.String]),
    isOwn: Schema.Boolean,
    isProven: Schema.Boolean,
    isLinked: Schema.Boolean
  })
)

describe("who speaks with a bot", () => {
  it("and is not linked is asked for their number, with the button that shares it", () => {
    const { link, isOver, reply } = converse(Spoke({ chatId: "7" }), false)
    assert.deepStrictEqual([link, isOver], [null, false])
    assert.isNotNull(reply?.shareButton)
    assert.include(reply?.text ?? "", "شمارهٔ موبایل")
  })

  it("and is linked already gets that answer, and no question", () => {
    const { link, isOver, reply } = converse(Spoke({ chatId: "7" }), true)
    assert.deepStrictEqual([link, isOver], [null, false])
    assert.isNull(reply?.shareButton)
    assert.notStrictEqual(reply?.text, converse(Spoke({ chatId: "7" }), false).reply?.text)
  })

  it.each([
    "09121234567",
    "989121234567",
    "+989121234567",
    "00989121234567",
    "۰۹۱۲ ۱۲۳ ۴۵۶۷",
    "\u2066989121234567\u2069",
    "\u200e+98\u00a0912\u2011123\u20114567\u200f"
  ])("and shares their own number, written %s, is linked, and the button goes away", (phone) => {
    const { link, isOver, reply } = shared(phone)
    assert.deepEqual([link, isOver], [{ phone: "+989121234567", isProven: true }, false])
    assert.deepEqual(shared(phone, false).link, { phone: "+989121234567", isProven: false })
    assert.isNull(reply?.shareButton)
  })

  it.each([true, false])(
    "and shares a number that is not shown to be theirs is not linked (linked: %s)",
    (isLinked) => {
      const update = SharedContact({ chatId: "7", phone: "989121234567", isOwn: false, isProven: false })
      const { link, isOver, reply } = converse(update, isLinked)
      assert.deepStrictEqual([link, isOver], [null, false])
      assert.isNotNull(reply?.shareButton)
    }
  )

  it.each(["+15551234567", "982112345678", "989800000000", "", "not a number"])(
    "and shares their own number %j, which is no Iranian mobile, is not linked",
    (phone) => {
      const { link, isOver, reply } = shared(phone)
      assert.deepStrictEqual([link, isOver], [null, false])
      assert.isNotNull(reply)
      assert.notStrictEqual(reply?.text, shared("09121234567").reply?.text)
    }
  )

  it.each([true, false])("and leaves is unlinked, and not written to any more (linked: %s)", (isLinked) => {
    assert.deepStrictEqual(converse(Left({ chatId: "7" }), isLinked), {
      link: null,
      isOver: true,
      reply: null
    })
  })
})

describe("a bot's turn", () => {
  it.prop(
    "links only an own number that is an Iranian mobile, and ends only when somebody leaves",
    [anyUpdate],
    ([{ kind, phone, isOwn, isProven, isLinked }]) => {
      const updates = {
        Spoke: Spoke({ chatId: "7" }),
        SharedContact: SharedContact({ chatId: "7", phone, isOwn, isProven }),
        Left: Left({ chatId: "7" })
      }
      const { link, isOver, reply } = converse(updates[kind], isLinked)
      const parsed = parseContactPhone(phone)
      const isLinkable = kind === "SharedContact" && isOwn && parsed._tag === "Success"
      assert.deepStrictEqual(link, isLinkable ? { phone: parsed.success, isProven } : null)
      assert.strictEqual(isOver, kind === "Left")
      assert.strictEqual(reply === null, kind === "Left")
      if (reply !== null) assert.notInclude(reply.text, link?.phone ?? "+98")
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )
})
