// Runs the LIST cases on the current Node, against the build: `npm run build && npx -p node@24 node test/http/on-node.mjs`.
import { acceptList } from '../../dist/adapters/http/index.js'
import { LIST_CASES } from './list-cases.mjs'

let failed = 0
for (const [name, run] of Object.entries(LIST_CASES)) {
  try {
    await run(acceptList)
  } catch (error) {
    failed++
    console.error(`FAILED ${name}\n`, error)
  }
}
console.log(`Node ${process.version}: ${Object.keys(LIST_CASES).length} cases of LIST, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
