/**
 * A login page for browsers: `import "@peyk/client/login"` makes the element `<peyk-login>`. It holds no key: it calls
 * routes of your own server.
 */
export { PeykLogin } from "./login/LoginElement.ts"
