// npm install better-auth @peyk/client
import { betterAuth } from "better-auth"
import { phoneNumber } from "better-auth/plugins"
import { peykOtp } from "./peyk-otp.mjs"

const { sendOTP, verifyOTP } = peykOtp({ baseUrl: process.env.PEYK_URL, apiKey: process.env.PEYK_API_KEY })

export const auth = betterAuth({
  // Add the database of your application here.
  plugins: [
    phoneNumber({
      sendOTP,
      verifyOTP,
      signUpOnVerification: { getTempEmail: (phone) => `${phone.replace("+", "")}@phone.invalid` }
    })
  ]
})
