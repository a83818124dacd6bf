/**
 * Starts the shop of `app.mjs`, and sends it requests as customers and other programs do. With `--serve` the server continues to run on port 8200.
 * Exits with code 0, or with code 1 and the reason.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Client } from '@litehex/node-vault'
import { createDevKernel } from 'strongroom'
import { acceptList } from 'strongroom/http'
import { makeApp } from './app.mjs'

const serve = process.argv.includes('--serve')

// With Vault's names, Vault's clients work without changes.
const kernel = await createDevKernel({ naming: { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' } })
await kernel.transit.createKey({ name: 'cards' })
await kernel.policies.writePolicy({
  name: 'shop',
  policy: 'path "secret/shop/*" { capabilities = ["create", "update", "read", "list"] }',
})

const server = acceptList(createServer(makeApp(kernel)))
server.listen(serve ? 8200 : 0, '127.0.0.1')
await once(server, 'listening')
const endpoint = `http://127.0.0.1:${server.address().port}`
console.log(`listening on ${endpoint}`)

if (serve) {
  console.log(`root token: ${kernel.rootToken}`)
} else {
  await aCustomerOrders()
  await anotherProgramReadsItsSecrets()
  server.close()
  await kernel.close()
}

async function aCustomerOrders() {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${endpoint}/orders/4711`, { method: 'POST', headers, body: JSON.stringify({ card: '4111 1111' }) })
  const { card } = await answer.json()
  console.log(`an order is stored with the encrypted card number ${card}`)
  const { plaintext } = await kernel.transit.decrypt({ name: 'cards', ciphertext: card, associated_data: Buffer.from('4711') })
  assert.equal(Buffer.from(plaintext).toString(), '4111 1111')
}

/** Uses a client package from npm, and a token that may only use the secrets of this program. */
async function anotherProgramReadsItsSecrets() {
  const { client_token } = await kernel.tokens.createToken({ policies: ['shop'], ttl: '1h' })
  const vault = new Client({ endpoint, token: client_token })
  const secret = { mountPath: 'secret', path: 'shop/mail' }
  await vault.kv.write({ ...secret, data: { password: 'correct horse' } })
  const read = await vault.kv.read(secret)
  assert.deepEqual(read.data?.data, { password: 'correct horse' })
  // Sent with the verb LIST.
  const listed = await vault.kv.list({ mountPath: 'secret', path: 'shop' })
  assert.deepEqual(listed.data?.data.keys, ['mail'])
  const denied = await vault.kv.read({ mountPath: 'secret', path: 'other' })
  assert.match(denied.error?.message ?? '', /permission denied/)
  console.log('another program wrote, read and listed its secrets, and could not read any other secret')
}
