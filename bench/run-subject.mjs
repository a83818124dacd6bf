/** Measures one subject, or one variant of it, and writes the result to descriptor 3. */
import { writeSync } from 'node:fs'

const [name, variant] = process.argv.slice(2)
const { run } = await import(`./subjects/${name}.mjs`)
const { text, targets } = await run(variant)
let rest = Buffer.from(JSON.stringify({ text, targets }))
while (rest.length > 0) rest = rest.subarray(writeSync(3, rest))
// Subjects may leave pools and servers behind that would keep the process.
process.exit(0)
