/**
 * If a rule requires wrapping, no part of an answer may be returned unwrapped. Tried for every operation that policies authorize and every
 * status, and compared with a second kernel that answers the same requests without wrapping.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKernel } from '../../src/chosen-kernel.ts'
import { engineValue, operation } from '../../src/engine.ts'
import { type Kernel, KernelError, keySeal, memoryStorage } from '../../src/index.ts'
import {
  EVERY_OPERATION,
  type Filled,
  fill,
  furnish,
  furnishedPorts,
  type Listed,
  type Members,
} from '../fixtures/good-requests.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'

usePreparedRsaKeys()

const ALL = '"create", "read", "update", "delete", "list", "patch", "sudo"'
const PLAIN = `path "*" { capabilities = [${ALL}] }`
const FORCED = `path "*" { capabilities = [${ALL}]\n min_wrapping_ttl = "10s" }`

interface Answer {
  readonly status: number
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

interface WrapInfo {
  readonly token: string
}

/** The wrap TTL for no wrapping. */
const NONE = '0'

/** A kernel with a caller. Each request has a new token, because some requests revoke their own token. */
class Actor {
  readonly kernel: Kernel
  readonly #wrap: string | undefined

  constructor(kernel: Kernel, wrap: string | undefined) {
    this.kernel = kernel
    this.#wrap = wrap
  }

  static async open(policy: string, wrap?: string): Promise<Actor> {
    const kernel = await kernelWithWrappingKey({ ports: furnishedPorts() })
    const opened = new Actor(kernel, wrap)
    const root = kernel.rootToken as string
    await furnish((verb, path, body = {}) => opened.ask(root, { verb, path, body: { ...body } }, NONE))
    await kernel.policies.writePolicy({ name: 'acting', policy })
    return opened
  }

  /** Arguments that differ between kernels. */
  async own(): Promise<Members> {
    const { transit, tokens, kv, rootToken } = this.kernel
    const plaintext = new Uint8Array([97])
    await kv.writeSecret({ path: 'a', data: { v: 1 } })
    const { ciphertext } = await transit.encrypt({ name: 'k', plaintext })
    const { hmac } = await transit.hmac({ name: 'k', input: plaintext })
    const spare = await tokens.createToken({ policies: ['default'], ttl: '1h' })
    const wrapped = await this.ask(rootToken as string, { verb: 'GET', path: 'secret/a', body: {} }, '60')
    return { ciphertext, hmac, spare, wrapping: openerOf(wrapped) }
  }

  async act(request: Filled): Promise<Answer> {
    const { client_token } = await this.kernel.tokens.createToken({ policies: ['acting'], no_default_policy: true })
    if (request.path.startsWith('cubbyhole')) await this.ask(client_token, { verb: 'POST', path: 'cubbyhole/a', body: { v: 1 } })
    return this.ask(client_token, request)
  }

  async ask(token: string, { verb, path, body }: Filled, wrap = this.#wrap): Promise<Answer> {
    const headers = {
      'X-Service-Token': token,
      'Content-Type': verb === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...(wrap === undefined ? {} : { 'X-Service-Wrap-TTL': wrap }),
    }
    const sent = verb === 'POST' || verb === 'PATCH' ? { body } : { query: texts(body) }
    return (await this.kernel.handle({ method: verb, path: `/v1/${path}`, headers, ...sent })) as Answer
  }

  unwrap(token: string): Promise<Answer> {
    return this.ask(token, { verb: 'POST', path: 'sys/wrapping/unwrap', body: {} }, NONE)
  }
}

const texts = (values: object) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

const openerOf = ({ body }: Answer): string => (body as { wrap_info: WrapInfo }).wrap_info.token

/** Whether policies authorize the operation. */
const isAuthorized = ({ operation }: Listed): boolean => !operation.unauthenticated && operation.inAnyState === undefined

/** Whether an answer contains data. A refusal without data is not wrapped. */
const hasData = ({ status, body }: Answer): boolean =>
  body !== undefined && (status < 400 || (body['data'] ?? body['auth'] ?? null) !== null)

/** @throws if the answer contains anything other than the wrapping token. */
function expectSealed({ status, body }: Answer): void {
  expect(status).toBe(200)
  const {
    request_id: _,
    wrap_info,
    mount_type,
    ...others
  } = body as { request_id: string; wrap_info: WrapInfo; mount_type: string }
  expect(wrap_info.token).toMatch(/^s\./)
  expect(mount_type).toMatch(/^[\w-]+$/)
  const nothing = { lease_id: '', renewable: false, lease_duration: 0, data: null, warnings: null, auth: null }
  expect(others).toEqual(nothing)
}

/** The operations whose arguments differ between kernels. */
const OWN: Readonly<Record<string, (own: Members) => Members>> = {
  'transit.decrypt': ({ ciphertext }) => ({ ciphertext }),
  'transit.rewrap': ({ ciphertext }) => ({ ciphertext }),
  'transit.inspect': ({ ciphertext }) => ({ ciphertext }),
  'transit.verify': ({ hmac }) => ({ hmac }),
  'system.explain': tokenOf,
  'system.capabilities': tokenOf,
  'system.capabilitiesAccessor': accessorOf,
  'system.unwrap': ({ wrapping: token }) => ({ token }),
  'system.rewrap': ({ wrapping: token }) => ({ token }),
  'token.lookupToken': tokenOf,
  'token.lookupByGet': tokenOf,
  'token.renewToken': tokenOf,
  'token.revokeToken': tokenOf,
  'token.revokeOrphan': tokenOf,
  'token.lookupAccessor': accessorOf,
  'token.renewAccessor': accessorOf,
  'token.revokeAccessor': accessorOf,
}

interface Spare {
  readonly client_token: string
  readonly accessor: string
}

function tokenOf({ spare }: Members): Members {
  return { token: (spare as Spare).client_token }
}

function accessorOf({ spare }: Members): Members {
  return { accessor: (spare as Spare).accessor }
}

/** These operations need key shares, devices or external keys, so their refusals are checked. */
const REFUSED =
  /^system\.(?:rotate\.|rekey\.|createSecondaryToken|createDrSecondaryToken|read(?:Own)?(?:Paths|Dynamic)Filter|(?:lookup|renew|revoke)(?:Lease|ByPath|Old)|listLeases|readMove|wrap$|hash$|(?:list|read)RequestHeader)|^transit\.(?:import|restore|setCertificate|derive|trim)|^identity\.|Nothing$/

/** Reads first, while the records exist. */
const ORDER = ['GET', 'LIST', 'PATCH', 'POST', 'DELETE']
const JUDGED = EVERY_OPERATION.filter(isAuthorized).sort(
  (a, b) => ORDER.indexOf(a.operation.verb) - ORDER.indexOf(b.operation.verb),
)

let plain: Actor
let forced: Actor
beforeAll(async () => {
  ;[plain, forced] = await Promise.all([Actor.open(PLAIN), Actor.open(FORCED, '30s')])
})
afterAll(() => Promise.all([plain.kernel.close(), forced.kernel.close()]))

/** The operation stops the cluster, so it is tried last. */
const LAST = 'system.demoteDrPrimary'
const withoutLast = JUDGED.filter(({ title }) => title !== LAST)

const answersOf = async (listed: Listed): Promise<readonly [clear: Answer, sealed: Answer]> => {
  const request = async (actor: Actor) => fill(listed, OWN[listed.title]?.(await actor.own()))
  return [await plain.act(await request(plain)), await forced.act(await request(forced))]
}

describe('a policy rule that requires wrapping', () => {
  it.each(withoutLast.map((listed) => [listed.title, listed] as const))(
    'has the answer of %s wrapped if the answer contains data',
    async (title, listed) => {
      const [clear, sealed] = await answersOf(listed)
      if (title === 'system.wrap') return expectSealed(sealed)
      if (hasData(clear)) return expectSealed(sealed)
      expect(Object.keys(listed.operation.returns).length === 0 || REFUSED.test(title) || clear.status === 204).toBe(true)
      expect(sealed.status).toBe(clear.status)
      expect(hasData(sealed)).toBe(false)
    },
  )

  it.each(JUDGED.map((listed) => [listed.title, listed] as const))(
    'refuses a call of %s that requests no wrapping',
    async (_, listed) => {
      const { rootToken, tokens } = forced.kernel
      const { client_token } = await tokens.createToken({ policies: ['acting'], no_default_policy: true })
      expect(client_token).not.toBe(rootToken)
      // An invalid wrapping token is refused before the caller is authenticated.
      const { status, body } = await forced.ask(client_token, fill(listed), NONE)
      expect([status, hasData({ status, body })]).toEqual(['validatesFirst' in listed.operation ? 400 : 403, false])
    },
  )
})

const BATCHES = JUDGED.filter(({ operation }) => operation.batch).map((listed) => [listed.title, listed] as const)

describe.each(BATCHES)('the wrapped answer to a batch of %s', (title, listed) => {
  it.each([
    ['with a failing item', [true, false], undefined],
    ['with a failing item, as 201', [true, false], 201],
    ['with a failing item, as 299', [true, false], 299],
    ['with a failing item, as 400', [true, false], 400],
    ['with a failing item, as 503', [true, false], 503],
    ['with a failing item, as an invalid status', [true, false], 9],
    ['with only failing items', [false, false], 201],
    ['with only good items', [true, true], 201],
  ] as const)('has the status of the unwrapped batch after unwrapping: %s', async (_, items, partial_failure_response_code) => {
    const request = async (actor: Actor): Promise<Filled> => {
      const own = OWN[title]?.(await actor.own())
      const { verb, path, body } = fill(listed, own)
      const batch_input = items.map((good) => (good ? body : { ...body, ...WRONG }))
      return { verb, path, body: { batch_input, partial_failure_response_code } }
    }
    const clear = await plain.act(await request(plain))
    expect(hasData(clear)).toBe(true)
    const sealed = await forced.act(await request(forced))
    expectSealed(sealed)
    const opened = await forced.unwrap(openerOf(sealed))
    expect(opened.status).toBe(clear.status)
    const results = ({ body }: Answer) => (body as { data: { batch_results: readonly object[] } }).data.batch_results
    expect(results(opened).map((result) => Object.keys(result).sort())).toEqual(
      results(clear).map((result) => Object.keys(result).sort()),
    )
    expect(Array.isArray(opened.body?.['errors'])).toBe(clear.status >= 400)
  })
})

/** Invalid as base64 and as ciphertext, for every kind of item. */
const WRONG = { plaintext: '!', ciphertext: '!', input: '!' }

describe('the 404 answer for a deleted secret version', () => {
  it.each(['data', 'subkeys'])('is wrapped, because it contains metadata of the version: %s', async (kind) => {
    const request = { verb: 'GET', path: `kv2/${kind}/deleted`, body: {} }
    const clear = await plain.act(request)
    expect([clear.status, hasData(clear)]).toEqual([404, true])
    const sealed = await forced.act(request)
    expectSealed(sealed)
    const again = await forced.ask(forced.kernel.rootToken as string, {
      verb: 'POST',
      path: 'sys/wrapping/rewrap',
      body: { token: openerOf(sealed) },
    })
    expectSealed(again)
    const opened = await forced.unwrap(openerOf(again))
    expect([opened.status, hasData(opened)]).toEqual([404, true])
    expect(opened.body?.['errors']).toEqual([])
  })

  it('has status 404 again after unwrapping by a typed call', async () => {
    const sealed = await forced.act({ verb: 'GET', path: 'kv2/data/deleted', body: {} })
    const token = openerOf(sealed)
    expect(await forced.kernel.wrapping.unwrap({ token })).toMatchObject({ status: 404, answer: { data: { data: null } } })
  })

  it('is not wrapped if the path belongs to the other version of the KV engine', async () => {
    const { status, body } = await forced.act({ verb: 'GET', path: 'kv2/deleted', body: {} })
    expect(status).toBe(404)
    expect(body).toMatchObject({ data: null, wrap_info: null })
  })
})

it('a policy rule that requires wrapping does not change the answer to HELP', async () => {
  const request = { verb: 'HELP', path: 'secret/a', body: {} }
  expect((await forced.act(request)).body).toEqual((await plain.act(request)).body)
})

it('a wrapped answer contains none of its data outside of the wrapping', async () => {
  const root = forced.kernel.rootToken as string
  expectSealed(await forced.ask(root, { verb: 'GET', path: 'sys/policy/plain', body: {} }))
  expectSealed(await forced.ask(root, { verb: 'GET', path: 'sys/mounts', body: {} }))
})

it('a policy rule that requires wrapping refuses typed calls, which cannot request wrapping', async () => {
  const { client_token } = await forced.kernel.tokens.createToken({ policies: ['acting'], no_default_policy: true })
  const view = forced.kernel.as(client_token)
  await expect(view.kv.readSecret({ path: 'a' })).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
  await expect(view.transit.encrypt({ name: 'k', plaintext: new Uint8Array(1) })).rejects.toBeInstanceOf(KernelError)
})

describe('an external engine under a rule that requires wrapping', () => {
  const bare = (status: number, body: object) =>
    operation({
      kind: 'read',
      verb: 'GET',
      path: `/bare-${status}`,
      summary: 'Answers without an envelope.',
      fields: {},
      returns: {},
      wire: () => ({ status, bare: { ...body } }),
      run: () => ({}),
    })
  const operations = { fine: bare(200, { secret: 'x' }), odd: bare(418, { secret: 'y' }), refused: bare(409, { errors: ['no'] }) }
  const strange = engineValue<object>({
    type: 'strange',
    mounts: 'secret',
    operations,
    due: {},
    fresh: [{ path: 'strange/', description: '' }],
  })

  it.each([200, 418])(
    'has its answer wrapped even if it is not in the usual envelope and has status %i, and unwrapping returns it unchanged',
    async (status) => {
      const seal = keySeal(new Uint8Array(32))
      await using kernel = await createKernel({ storage: memoryStorage(), seal, initialize: true, engines: [strange] })
      await kernel.policies.writePolicy({ name: 'acting', policy: FORCED })
      const { client_token: token } = await kernel.tokens.createToken({ policies: ['acting'], no_default_policy: true })
      const get = (path: string, wrap: string, method = 'GET', own = token) =>
        kernel.handle({
          method,
          path: `/v1/${path}`,
          headers: { 'X-Service-Token': own, 'X-Service-Wrap-TTL': wrap },
        }) as Promise<Answer>
      expect((await get(`strange/bare-${status}`, NONE)).status).toBe(403)
      const sealed = await get(`strange/bare-${status}`, '30s')
      expectSealed(sealed)
      const opened = await get('sys/wrapping/unwrap', NONE, 'POST', openerOf(sealed))
      expect(opened).toMatchObject({ status, body: { secret: status === 200 ? 'x' : 'y' } })
      expect((await get('strange/bare-409', '30s')).body).toEqual({ errors: ['no'] })
    },
  )
})

it('system.demoteDrPrimary reveals no result under a policy rule that requires wrapping, because a demoted cluster cannot store it', async () => {
  const [, sealed] = await answersOf(JUDGED.find(({ title }) => title === LAST) as Listed)
  expect(hasData(sealed)).toBe(false)
})
