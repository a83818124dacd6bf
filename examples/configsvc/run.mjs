/**
 * Starts the service of `app.mjs` and lets pipelines log in to it over HTTP. Exits with code 0, or with code 1 and the reason.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { requestListener } from 'strongroom/http'
import { openService } from './app.mjs'
import { makeIssuer } from './issuer.mjs'

const issuer = makeIssuer('https://ci.example')
const service = await openService(issuer)
const server = createServer(requestListener(service))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const endpoint = `http://127.0.0.1:${server.address().port}/v1`

await pipelinesGetWhatTheirRulesSay()
await othersAreRefused()
await whoWaitsIsTold()
server.closeAllConnections()
server.close()
await service.close()

async function pipelinesGetWhatTheirRulesSay() {
  const ofMain = await logIn({ repository: 'Shop', branch: 'main' })
  assert.deepEqual(await decisions(ofMain, ['shop', 'billing']), [true, false])
  const ofBranch = await logIn({ repository: 'Shop', branch: 'try-this' })
  assert.deepEqual(await decisions(ofBranch, ['shop', 'billing']), [false, false])
  console.log('the pipeline of the main branch may register shop; no pipeline may register anything else')

  assert.equal(await ask('POST', 'acl/logout', { token: ofMain }), true)
  await assert.rejects(decisions(ofMain, ['shop']), /^Error: 403 ACL not found$/)
  console.log('a logout ended the token')
}

async function othersAreRefused() {
  const stranger = makeIssuer('https://ci.example')
  await assert.rejects(logIn({ repository: 'shop', branch: 'main' }, stranger), /^Error: 403 Permission denied$/)
  // The rights that a pipeline would get from a login.
  const { Rules } = await service.bindingRules.evaluate({ auth_method: 'ci', identity: { value: { repository: 'shop' } } })
  const missed = Rules.find(({ Matches }) => !Matches)
  console.log(`refused: a token with the signature of another issuer. Without a branch the rule does not match: ${missed.Reason}`)
}

/** Sends a request that is answered when the list has changed. */
async function whoWaitsIsTold() {
  const { SecretID: token } = await service.acl.bootstrap()
  const { headers } = await fetch(`${endpoint}/acl/roles`, { headers: { 'X-Consul-Token': token } })
  const waiting = ask('GET', `acl/roles?index=${headers.get('X-Consul-Index')}&wait=1m`, { token })
  await service.roles.create({ Name: 'auditor' })
  assert.deepEqual((await waiting).map(({ Name }) => Name).sort(), ['auditor', 'pipeline'])
  console.log('the read that waited for another role was answered')
}

async function logIn(claims, by = issuer) {
  const body = { AuthMethod: 'ci', BearerToken: by.tokenFor(claims) }
  return (await ask('POST', 'acl/login', { body })).SecretID
}

async function decisions(token, services) {
  const body = services.map((Segment) => ({ Resource: 'service', Segment, Access: 'write' }))
  return (await ask('POST', 'internal/acl/authorize', { token, body })).map(({ Allow }) => Allow)
}

async function ask(method, path, { token, body } = {}) {
  const headers = token ? { 'X-Consul-Token': token } : {}
  const answer = await fetch(`${endpoint}/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
  return JSON.parse(text)
}
