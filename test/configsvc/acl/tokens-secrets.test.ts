/**
 * Only the caller that creates a token learns its secret. It is not revealed by other responses, refusals, stored data, or the inspection
 * of objects.
 */
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { createConfigService } from '../../../src/config-service.ts'
import { createKernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { type Answer, askOf, configWorld, ROOT } from '../../fixtures/configsvc.ts'

const CHOSEN = '0f9d7a20-1c2b-4a3d-9e8f-a1b2c3d4e5f2'

/** Everything in a store: keys and values. */
async function stored(storage: Storage): Promise<string> {
  const entries = await storage.scan('')
  return entries.map(({ key, value }) => `${key} ${Buffer.from(value).toString('latin1')}`).join('\n')
}

const forms = (secret: string): readonly string[] => [
  secret,
  secret.toUpperCase(),
  secret.replaceAll('-', ''),
  Buffer.from(secret).toString('base64').slice(0, -4),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret.replaceAll('-', ''), 'hex').toString('latin1'),
]

const expectNone = (text: string, secrets: readonly string[]): void => {
  for (const secret of secrets) for (const form of forms(secret)) expect(text.includes(form), form).toBe(false)
}

it('the SecretID of a token is not stored, even in a store without encryption', async () => {
  const storage = memoryStorage()
  await using world = await configWorld({ storage })
  const { tokens } = world.service
  const made = await tokens.create({ Description: 'd', ExpirationTTL: '1h' })
  const clone = await tokens.clone({ AccessorID: made.AccessorID })
  const chosen = await tokens.create({ SecretID: CHOSEN })
  await tokens.update({ AccessorID: chosen.AccessorID, SecretID: CHOSEN, Description: 'e' })
  const all = await stored(storage)
  expect(all).toContain(made.AccessorID)
  expectNone(all, [ROOT, made.SecretID, clone.SecretID, CHOSEN])
})

it('the SecretID of a token is hidden in every response to other callers', async () => {
  await using world = await configWorld()
  const { AccessorID } = await world.service.tokens.create({ SecretID: CHOSEN })
  const asks: readonly [verb: string, path: string, body?: object][] = [
    ['GET', 'acl/tokens'],
    ['GET', 'acl/tokens?pretty'],
    ['GET', `acl/token/${AccessorID}`],
    ['PUT', `acl/token/${AccessorID}`, { SecretID: CHOSEN }],
    ['PUT', `acl/token/${AccessorID}/clone`, {}],
    ['GET', 'acl/token/self'],
    ['DELETE', `acl/token/${AccessorID}`],
  ]
  for (const [verb, path, body] of asks) expectNone(inspect(await world.ask(verb, path, body), { depth: 10 }), [CHOSEN])
})

it('the SecretID of a token is in no refusal, wherever the request contained it', async () => {
  await using world = await configWorld()
  const { AccessorID } = await world.service.tokens.create({ SecretID: CHOSEN })
  const id = (name: string, value: unknown) => ({ [name]: value })
  const bodies = [id('SecretID', CHOSEN), id('AccessorID', CHOSEN), id('SecretID', [CHOSEN]), id('SecretID', `${CHOSEN} `)]
  const asks: Promise<Answer>[] = [
    ...bodies.map((body) => world.ask('PUT', 'acl/token', body)),
    ...bodies.slice(1).map((body) => world.ask('PUT', `acl/token/${AccessorID}`, body)),
    world.ask('PUT', `acl/token/${AccessorID}`, { SecretID: `${CHOSEN.slice(0, -1)}0` }),
    world.ask('PUT', 'acl/bootstrap', { BootstrapSecret: CHOSEN }),
    world.ask('GET', 'acl/tokens', undefined, CHOSEN),
    world.ask('GET', 'acl/token/self', undefined, `${CHOSEN.slice(0, -1)}0`),
    world.ask('GET', 'acl/tokens', undefined, 'not a uuid'),
  ]
  for (const { status, body } of await Promise.all(asks)) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expectNone(body, [CHOSEN, `${CHOSEN.slice(0, -1)}0`])
    expect(body).not.toContain('not a uuid')
  }
})

it('the SecretID of a token is not shown by inspecting the objects of a service', async () => {
  await using world = await configWorld()
  const { SecretID } = await world.service.tokens.create()
  const shown = [world.service, world.service.as(SecretID), world.service.tokens].map((view) =>
    [inspect(view, { depth: 10, showHidden: true }), JSON.stringify(view)].join(),
  )
  expectNone(shown.join(), [SecretID, ROOT])
})

it('the SecretID of a token is in no event of a kernel', async () => {
  const seal = keySeal(new Uint8Array(32).fill(3))
  await using kernel = await createKernel({ storage: memoryStorage(), clock: fakeClock(), seal, initialize: true })
  const events: unknown[] = []
  kernel.events.on('*', (event) => void events.push(event))
  const { tokens } = kernel.configsvc
  const { AccessorID } = await tokens.create({ SecretID: CHOSEN, ExpirationTTL: '1h' })
  await askOf(kernel.configsvc)('GET', 'acl/token/self', undefined, CHOSEN)
  await tokens.delete({ AccessorID })
  await kernel.tick()
  expectNone(inspect(events, { depth: 10 }), [CHOSEN])
})

it('the stored hash of a SecretID differs between stores', async () => {
  const folders = []
  for (let i = 0; i < 2; i++) {
    const storage = memoryStorage()
    await using service = await createConfigService({ storage, plaintext: true })
    await service.tokens.create({ SecretID: CHOSEN })
    folders.push((await storage.list('l/configsvc/token/')).filter((key) => !key.endsWith('anonymous')))
  }
  const [one, two] = folders
  expect(one).toHaveLength(1)
  expect(one).not.toEqual(two)
})
