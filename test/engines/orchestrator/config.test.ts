import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Kernel, KernelEvent } from '../../../src/index.ts'
import { fakeTokenReviewer } from '../../../src/testing/index.ts'
import { certificatePem, P256, P384, RSA, spkiPem } from '../../unit/core/jwt/tokens.ts'
import { type Input, PATH, TYPED, VIEWS } from './views.ts'
import { HOST, jwtOf, KEYS, openWorld, turns } from './world.ts'

const CA = certificatePem(P256)
const CA2 = certificatePem(P384)

/** Lists in calls by path have keys without their last newline. */
const key = (pair = P256): string => spkiPem(pair).trim()

const DEFAULTS = {
  orchestrator_ca_cert: '',
  token_reviewer_jwt_set: false,
  pem_keys: [],
  disable_local_ca_jwt: false,
  disable_iss_validation: true,
  issuer: '',
}

describe('orchestrator.configure', () => {
  it('replaces all settings, including the reviewer token', async () => {
    await using world = await openWorld({ config: null })
    const all = {
      orchestrator_host: `${HOST}/`,
      orchestrator_ca_cert: CA,
      token_reviewer_jwt: 'reviewer',
      pem_keys: [key(), certificatePem(RSA).trim()],
      disable_local_ca_jwt: true,
      disable_iss_validation: false,
      issuer: 'cluster',
    }
    const { token_reviewer_jwt: _, ...shown } = all
    for (const view of VIEWS) {
      const read = async () => (await view.ask(world.kernel, 'readConfig')).data
      expect((await view.ask(world.kernel, 'configure', all)).status).toBe(204)
      expect(await read()).toEqual({ ...shown, token_reviewer_jwt_set: true })
      expect((await view.ask(world.kernel, 'configure', { orchestrator_host: 'h:6443', orchestrator_ca_cert: CA2 })).status).toBe(
        204,
      )
      expect(await read()).toEqual({ ...DEFAULTS, orchestrator_host: 'h:6443', orchestrator_ca_cert: CA2 })
    }
  })

  it('takes effect at the next login', async () => {
    const reviewer = fakeTokenReviewer()
    await using world = await openWorld({ reviewer })
    for (const view of VIEWS) {
      expect((await world.login(view, jwtOf())).status).toBe(200)
      await view.ask(world.kernel, 'configure', {
        orchestrator_host: 'https://b',
        pem_keys: KEYS,
        token_reviewer_jwt: 'reviewer',
      })
      expect((await world.login(view, jwtOf())).status).toBe(200)
      expect(reviewer.requests.at(-1)).toMatchObject({ host: 'https://b', bearer: 'reviewer' })
      await view.ask(world.kernel, 'configure', { orchestrator_host: 'https://b', pem_keys: [key(P384)] })
      expect((await world.login(view, jwtOf())).status).toBe(403)
      await view.ask(world.kernel, 'configure', { orchestrator_host: HOST, pem_keys: KEYS })
      expect((await world.login(view, jwtOf())).status).toBe(200)
      const { bearer, token } = reviewer.requests.at(-1) ?? {}
      expect(bearer).toBe(token)
    }
  })

  const good = { orchestrator_host: HOST, orchestrator_ca_cert: CA }
  it.each<readonly [message: string, what: string, input: Input]>([
    ['orchestrator_host', 'an empty host', { orchestrator_host: '', pem_keys: KEYS }],
    ['orchestrator_host', 'a host that is too long', { ...good, orchestrator_host: 'h'.repeat(2049) }],
    ['token_reviewer_jwt', 'a reviewer token that is too long', { ...good, token_reviewer_jwt: 'x'.repeat(16_385) }],
    ['pem_keys', 'too many keys', { ...good, pem_keys: Array(33).fill(key()) }],
    ['pem_keys', 'an empty key', { ...good, pem_keys: [key(), ''] }],
    ['pem_keys', 'a key in DER', { ...good, pem_keys: [Buffer.from(key()).toString('base64')] }],
    ['pem_keys', 'a key followed by text', { ...good, pem_keys: [`${key()}\nmore`] }],
    ['pem_keys', 'a truncated key', { ...good, pem_keys: [key().slice(0, -40)] }],
    ['orchestrator_ca_cert', 'text that is not PEM', { orchestrator_host: HOST, orchestrator_ca_cert: 'certificate' }],
    ['orchestrator_ca_cert', 'white space', { orchestrator_host: HOST, orchestrator_ca_cert: ' \n' }],
    ['orchestrator_ca_cert', 'a key instead of a certificate', { orchestrator_host: HOST, orchestrator_ca_cert: key() }],
    [
      'orchestrator_ca_cert',
      'an invalid certificate',
      { ...good, orchestrator_ca_cert: `-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n` },
    ],
    [
      'orchestrator_ca_cert',
      'an invalid certificate among several',
      { ...good, orchestrator_ca_cert: `${CA}-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n` },
    ],
  ])('refuses a wrong %s without any change: %s', async (message, _, input) => {
    await using world = await openWorld()
    const before = (await TYPED.ask(world.kernel, 'readConfig')).data
    for (const view of VIEWS) {
      const outcome = await view.ask(world.kernel, 'configure', input)
      expect(outcome).toMatchObject({ status: 400, errors: [expect.stringContaining(message)] })
      expect((await view.ask(world.kernel, 'readConfig')).data).toEqual(before)
    }
  })

  it('accepts values of the maximum size', async () => {
    await using world = await openWorld({ config: null })
    const most = {
      orchestrator_host: 'h'.repeat(2048),
      token_reviewer_jwt: 'x'.repeat(16_384),
      pem_keys: Array(32).fill(key()),
      orchestrator_ca_cert: `text\n${CA}between\n${CA2}`,
    }
    for (const view of VIEWS) {
      expect((await view.ask(world.kernel, 'configure', most)).status).toBe(204)
      expect((await world.login(view, jwtOf())).status).toBe(200)
    }
  })

  it('throws a TypeError that names the parameter if a value has the wrong type', async () => {
    await using world = await openWorld()
    const write = (input: Input) => world.kernel.orchestrator.configure(input as never)
    const wrong = { text: [7, true, [], {}], list: ['a', [7], {}], bool: ['true', 1, {}] }
    for (const [name, values] of [
      ['orchestrator_host', wrong.text],
      ['orchestrator_ca_cert', wrong.text],
      ['token_reviewer_jwt', wrong.text],
      ['issuer', wrong.text],
      ['pem_keys', wrong.list],
      ['disable_local_ca_jwt', wrong.bool],
      ['disable_iss_validation', wrong.bool],
    ] as const)
      for (const value of values)
        await expect(write({ ...good, [name]: value })).rejects.toThrow(
          expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(`${name}: `) }),
        )
    for (const input of [{}, { pem_keys: KEYS }, { ...good, kubernetes_host: HOST }, { kubernetes_host: HOST, pem_keys: KEYS }])
      await expect(write(input)).rejects.toThrow(TypeError)
  })
})

describe('Vault’s parameter names for the configuration', () => {
  const ORIGINAL = { kubernetes_host: 'https://original', kubernetes_ca_cert: CA }
  const OWN = { orchestrator_host: 'https://original', orchestrator_ca_cert: CA }

  it.each<readonly [prefix: string | undefined, shown: boolean]>([
    [undefined, false],
    ['strongroom', false],
    ['acme', false],
    ['vault', true],
  ])('are accepted with the ciphertext prefix %s, and readConfig returns them: %s', async (ciphertextPrefix, shown) => {
    const naming = ciphertextPrefix === undefined ? {} : { ciphertextPrefix }
    await using world = await openWorld({ config: null, naming })
    const { kernel } = world
    expect(await PATH.ask(kernel, 'configure', ORIGINAL)).toMatchObject({ status: 204, warnings: [] })
    const { data } = await PATH.ask(kernel, 'readConfig')
    expect(data).toEqual({ ...DEFAULTS, ...OWN, ...(shown && ORIGINAL) })
    expect((await TYPED.ask(kernel, 'readConfig')).data).toEqual({ ...DEFAULTS, ...OWN })
  })

  it('are used if strongroom’s name for the parameter is missing or null', async () => {
    await using world = await openWorld({ config: null })
    const host = async (input: Input) => {
      const { status } = await PATH.ask(world.kernel, 'configure', { pem_keys: KEYS, ...input })
      return status === 204 ? (await world.kernel.orchestrator.readConfig()).orchestrator_host : status
    }
    expect(await host({ kubernetes_host: 'b', orchestrator_host: 'a' })).toBe('a')
    expect(await host({ orchestrator_host: null, kubernetes_host: 'b' })).toBe('b')
    expect(await host({ orchestrator_host: 'a', kubernetes_host: null })).toBe('a')
    expect(await host({ orchestrator_host: '', kubernetes_host: 'b' })).toBe(400)
    expect(await host({ kubernetes_host: ['b'] })).toBe(400)
    expect(await host({ Kubernetes_host: 'b' })).toBe(400)
  })
})

it('the reviewer token is in no answer, event, audit entry or error', async () => {
  const MARK = 'hunter2-the-reviewer'
  const reviewer = fakeTokenReviewer()
  const events: KernelEvent[] = []
  await using world = await openWorld({ reviewer })
  const { kernel } = world
  kernel.events.on('*', (event) => events.push(event))
  const outputs: string[] = []
  const good = { orchestrator_host: HOST, pem_keys: KEYS, token_reviewer_jwt: MARK }
  for (const view of VIEWS) {
    const ask = async (...[operation, input]: [Parameters<typeof view.ask>[1], Input?]) =>
      void outputs.push((await view.ask(kernel, operation, input)).text)
    await ask('configure', good)
    await ask('readConfig')
    reviewer.fail()
    await ask('login', { role: 'web', jwt: jwtOf() })
    reviewer.fail(new Error(`${MARK} was refused`))
    await ask('login', { role: 'web', jwt: jwtOf() })
    for (const wrong of [
      { pem_keys: [MARK] },
      { orchestrator_ca_cert: MARK },
      { orchestrator_host: '' },
      { token_reviewer_jwt: MARK.repeat(2000) },
    ])
      await ask('configure', { ...good, ...wrong })
  }
  for (const thrown of [
    { ...good, pem_keys: MARK },
    { ...good, token_reviewer_jwt: [MARK] },
    { ...good, disable_local_ca_jwt: MARK },
  ])
    outputs.push(inspect(await kernel.orchestrator.configure(thrown as never).catch((error: unknown) => error)))
  outputs.push(
    await answerTo(kernel, { help: '1' }),
    await answerTo(kernel, {}),
    inspect(kernel, { depth: 9 }),
    JSON.stringify(kernel),
  )
  await turns()
  expect(reviewer.requests.map(({ bearer }) => bearer)).toContain(MARK)
  expect(events.map(({ type }) => type)).toContain('auth_config.written')
  expect(world.audit.length).toBeGreaterThan(20)
  for (const text of [...outputs, JSON.stringify(events), ...world.audit.map(({ line }) => line)])
    expect(text).not.toContain(MARK)
})

async function answerTo(kernel: Kernel, query: Readonly<Record<string, string>>): Promise<string> {
  const headers = { 'X-Service-Token': kernel.rootToken ?? '' }
  return JSON.stringify(await kernel.handle({ method: 'GET', path: '/v1/auth/orchestrator/config', headers, query }))
}
