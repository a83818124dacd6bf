/**
 * Starts the application of `app.mjs` and lets programs of a cluster log in to it. Exits with code 0, or with code 1 and the reason.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { requestListener } from 'strongroom/http'
import { openApp } from './app.mjs'
import { makeCluster } from './cluster.mjs'
import { logIn } from './workload.mjs'

const cluster = makeCluster()
const kernel = await openApp(cluster)
const server = createServer(requestListener(kernel))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const endpoint = `http://127.0.0.1:${server.address().port}`

const refusals = []
kernel.events.on('login.refused', ({ role, reason }) => refusals.push(`${role}: ${reason}`))

await eachReadsItsOwn()
await othersAreRefused()
await whatTheClusterForgetsIsRefused()
await aRoleThatIsGoneEndsRenewals()
server.closeAllConnections()
server.close()
await kernel.close()

async function eachReadsItsOwn() {
  const web = await logIn(endpoint, { role: 'web', jwt: cluster.startPod('prod', 'web-7f9c') })
  assert.deepEqual(await web.read('secret/web/db'), { user: 'web', password: 'correct horse' })
  await assert.rejects(web.read('secret/billing/db'), /^Error: 403/)
  console.log(
    `web logged in for ${web.auth.lease_duration} seconds: it read its own secret, and could not read another program's`,
  )

  const plaintext = Buffer.from('4111 1111')
  const { ciphertext } = await kernel.transit.encrypt({ name: 'cards', plaintext })
  const billing = await logIn(endpoint, { role: 'billing', jwt: cluster.startPod('prod', 'billing') })
  const card = await billing.write('transit/decrypt/cards', { ciphertext })
  assert.equal(card.plaintext, plaintext.toString('base64'))
  await assert.rejects(web.write('transit/decrypt/cards', { ciphertext }), /^Error: 403/)
  console.log('billing logged in and decrypted a card number, which web may not do')
}

/** A refused caller does not get the reason. The application gets it as an event. */
async function othersAreRefused() {
  const attempts = [
    { role: 'billing', jwt: cluster.startPod('prod', 'web-7f9c') },
    { role: 'billing', jwt: cluster.startPod('test', 'billing') },
    { role: 'billing', jwt: makeCluster().startPod('prod', 'billing') },
  ]
  for (const attempt of attempts) await assert.rejects(logIn(endpoint, attempt), /^Error: 403 permission denied$/)
  assert.deepEqual(refusals.splice(0), ['billing: name-not-bound', 'billing: namespace-not-bound', 'billing: signature-invalid'])
  console.log('refused: another account, another namespace, another cluster')
}

async function whatTheClusterForgetsIsRefused() {
  const jwt = cluster.startPod('prod', 'billing')
  cluster.deleteAccount('prod', 'billing')
  await assert.rejects(logIn(endpoint, { role: 'billing', jwt }), /^Error: 403 permission denied$/)
  assert.deepEqual(refusals.splice(0), ['billing: review-not-authenticated'])
  console.log('refused: a token of an account that was deleted, although its signature is valid and it has not expired')
}

async function aRoleThatIsGoneEndsRenewals() {
  const web = await logIn(endpoint, { role: 'web', jwt: cluster.startPod('prod', 'web') })
  assert.equal((await web.renew()).lease_duration, 300)
  await kernel.orchestrator.deleteRole({ name: 'web' })
  await assert.rejects(web.renew(), /^Error: 400/)
  assert.deepEqual(Object.keys(await web.read('secret/web/db')), ['user', 'password'])
  console.log('a role was deleted: its tokens can no longer be renewed, and expire')
}
