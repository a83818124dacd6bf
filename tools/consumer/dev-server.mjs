// Starts the dev server by its command, as `npx strongroom serve --dev` does, and uses it over HTTP. Prints how long the start took.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'

const began = performance.now()
const command = spawn('node_modules/.bin/strongroom', ['serve', '--dev', '--token', 'root', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let output = ''
let address
for await (const chunk of command.stdout) {
  output += chunk
  address = /http:\/\/\S+/.exec(output)?.[0]
  if (address) break
}
assert.ok(address, `no address in ${JSON.stringify(output)}`)
const health = await fetch(`${address}/v1/sys/health`)
assert.equal(health.status, 200)
console.log(`dev server: answers sys/health ${(performance.now() - began).toFixed(0)} ms after the command`)

const headers = { 'X-Vault-Token': 'root' }
const body = JSON.stringify({ data: { password: 'correct horse' } })
const written = await fetch(`${address}/v1/secret/data/app`, { method: 'POST', headers, body })
assert.equal(written.status, 200)
const read = await (await fetch(`${address}/v1/secret/data/app`, { headers })).json()
assert.deepEqual(read.data.data, { password: 'correct horse' })

command.kill('SIGTERM')
const [code] = await once(command, 'exit')
assert.equal(code, 0)
