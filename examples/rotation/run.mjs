/**
 * Rotates the keys of a table that is in use, with an interruption, and retires the old versions. Exits with code 0, or with code 1 and the reason.
 */
import assert from 'node:assert/strict'
import { createDevKernel } from 'strongroom'
import { fakeClock } from 'strongroom/testing'
import { ADDRESSES, Customers, INDEX } from './customers.mjs'
import { bringForward, closeOldVersions } from './rotate.mjs'

// The example advances it instead of waiting.
const clock = fakeClock(Date.now())
const kernel = await createDevKernel({ clock })
await kernel.transit.createKey({ name: ADDRESSES })
await kernel.transit.createKey({ name: INDEX, type: 'hmac' })

const customers = new Customers(kernel)
const idOf = (number) => String(number).padStart(6, '0')
for (let number = 0; number < 1000; number++) await customers.add(idOf(number), `customer-${number}@example.org`)
const before = structuredClone(customers.rows.get(idOf(7)))
console.log(`${customers.rows.size} customers, each address encrypted and indexed`)

await kernel.transit.rotateKey({ name: ADDRESSES })
await kernel.transit.rotateKey({ name: INDEX })
await customers.add(idOf(1000), 'late@example.org')
console.log('both keys have a second version, which is used for new customers')

const checkpoints = {}
const interruption = new AbortController()
const work = bringForward(kernel, customers, checkpoints, interruption.signal)
const watch = setInterval(() => {
  if (checkpoints.after?.done >= 256) interruption.abort(new Error('the machine goes down'))
}, 0)
await assert.rejects(work, /the machine goes down/)
clearInterval(watch)
console.log(`interrupted after ${checkpoints.after.done} customers`)

for (const number of [3, 700, 1000]) {
  const address = number === 1000 ? 'LATE@example.org' : `Customer-${number}@example.org`
  assert.equal((await customers.find(address))?.id, idOf(number))
}
console.log('meanwhile every customer is found, under both versions')

const half = await closeOldVersions(kernel, customers)
assert.ok(half[ADDRESSES][1] > 0)
assert.equal((await kernel.transit.readKey({ name: ADDRESSES })).min_decryption_version, 1)
console.log(`version 1 cannot be retired yet: ${half[ADDRESSES][1]} addresses use it`)

await bringForward(kernel, customers, checkpoints)
assert.equal(checkpoints.after.done, customers.rows.size)
console.log(`continued: ${checkpoints.after.rewrapped} of ${checkpoints.after.done} were encrypted again`)

// By then, values that were encrypted shortly before the rotation are stored.
await clock.advance(60_000)
const found = await closeOldVersions(kernel, customers)
assert.deepEqual(found, { [ADDRESSES]: { 2: 1001 }, [INDEX]: { 2: 1001 } })
for (const name of [ADDRESSES, INDEX]) assert.equal((await kernel.transit.readKey({ name })).min_decryption_version, 2)
await assert.rejects(customers.emailOf(before), /too old/)
assert.equal(await customers.emailOf(customers.rows.get(idOf(7))), 'customer-7@example.org')
assert.equal((await customers.find('customer-7@example.org'))?.id, idOf(7))
console.log('version 1 is retired: even this kernel cannot decrypt a copy of the old table')
await kernel.close()
