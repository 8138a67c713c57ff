// The root is a clone, not a package: packed as it is, it has no compiled files and cannot start.
console.error(
  "This folder is a clone of Peyk, and cannot be packed. `npm run build` makes the packages; then:\n" +
    "  npm pack ./build/peyk\n" +
    "  npm pack -w @peyk/client"
)
process.exitCode = 1
