// npm install @auth/core @peyk/client (next-auth takes the same object)
import Credentials from "@auth/core/providers/credentials"
import { peykOtp } from "./peyk-otp.mjs"

export const { sendOTP, verifyOTP } = peykOtp({
  baseUrl: process.env.PEYK_URL,
  apiKey: process.env.PEYK_API_KEY
})

/** Call `sendOTP({ phoneNumber })` in a route of your own; the form then posts the phone and the code here. */
export const authConfig = {
  providers: [
    Credentials({
      credentials: { phone: {}, code: {} },
      authorize: async ({ phone, code }) =>
        (await verifyOTP({ phoneNumber: String(phone), code: String(code) }))
          ? { id: phone, name: phone }
          : null
    })
  ]
}
