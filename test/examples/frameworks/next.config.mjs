/** The packages of the tests are outside the application's folder: a link leads to them. */
export default { turbopack: { root: "/" } }
