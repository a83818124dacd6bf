import { describe, expect, it } from 'vitest'
import { awsCloud } from '../../../src/adapters/cloud-aws/index.ts'
import { fetchHandler, requestListener } from '../../../src/adapters/http/index.ts'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { postgresqlStorage } from '../../../src/adapters/storage-postgresql/index.ts'
import { nodeWorkers } from '../../../src/adapters/workers-node/index.ts'
import { createConfigService } from '../../../src/config-service.ts'
import { createDevKernel, createKernel, keySeal, memoryStorage, systemClock } from '../../../src/index.ts'
import { fakeCloudProvider, fakeDatabasePlugin, simulatedNetwork } from '../../../src/testing/index.ts'

type Options = Record<string, unknown>
type Takes = (options: never) => unknown

const handles = { handle: async () => ({ status: 200, headers: {} }) }
const basis = () => ({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), initialize: true })

/** Valid values by option path, such as `cache.stalenessMs`. Durations are numbers of milliseconds. */
interface Case {
  readonly what: string
  readonly call: (options: Options) => unknown
  readonly options: Readonly<Record<string, unknown>>
}

const opened = async (kernel: Promise<{ close(): Promise<void> }>): Promise<void> => (await kernel).close()

const CASES: readonly Case[] = [
  {
    what: 'createKernel',
    call: (options) => opened(createKernel({ ...basis(), ...options } as never)),
    options: {
      previousSeal: keySeal(new Uint8Array(32).fill(1)),
      requireRequestHeader: true,
      effectTimeoutMs: 5000,
      'unauthenticated.generateRoot': false,
      'naming.ciphertextPrefix': 'vault',
      'naming.headerPrefix': 'X-Vault',
      'bodies.parsedBytes': 400_000_000,
      'cache.stalenessMs': 5000,
      'replication.clusterAddress': 'one',
      'replication.apiAddress': 'https://one',
      'replication.log.maxBytes': 1_000_000,
      'replication.log.maxAgeMs': 5000,
      'replication.ack': { sync: 1, timeoutMs: 5000 },
    },
  },
  {
    what: 'createConfigService',
    call: (options) => opened(createConfigService({ storage: memoryStorage(), plaintext: true, ...options } as never)),
    options: {
      effectTimeoutMs: 5000,
      'cache.stalenessMs': 5000,
      'acl.defaultPolicy': 'allow',
      'acl.bootstrapToken': 'd908c0be-22e1-433e-84db-8718e1a019de',
      'naming.headerPrefix': 'X-Consul',
    },
  },
  { what: 'nodeWorkers', call: (options) => nodeWorkers(1, options as never), options: { timeoutMs: 5000 } },
  { what: 'awsCloud', call: awsCloud as Takes as Case['call'], options: { deadlineMs: 5000, readyTimeoutMs: 5000 } },
  { what: 'kubernetesTokenReviewer', call: kubernetesTokenReviewer as Case['call'], options: { timeoutMs: 5000 } },
  {
    what: 'tcpTransport',
    call: tcpTransport as Case['call'],
    options: { maxConnections: 9, maxStrangersPerAddress: 9, strangerMs: 5000, maxRequests: 9, idleMs: 5000, stallMs: 5000 },
  },
  {
    what: 'etcdStorage',
    call: (options) => void etcdStorage({ hosts: 'http://127.0.0.1:1', ...options } as never).close(),
    options: { timeoutMs: 5000, maxTxnOps: 200 },
  },
  {
    what: 'postgresqlStorage',
    call: (options) =>
      void postgresqlStorage({ pool: { connect: () => new Promise(() => {}), on: () => {} }, ...options } as never),
    options: { timeoutMs: 5000, pollMs: 5000, heartbeatMs: 5000 },
  },
  {
    what: 'requestListener',
    call: (options) => requestListener(handles as never, options as never),
    options: { maxBodyBytes: 1e6, stallTimeoutMs: 5000, remoteAddress: () => '' },
  },
  {
    what: 'fetchHandler',
    call: (options) => fetchHandler(handles as never, options as never),
    options: { maxBodyBytes: 1e6, stallTimeoutMs: 5000, remoteAddress: () => '' },
  },
  { what: 'memoryStorage', call: memoryStorage as Case['call'], options: { maxOps: 128, maxValueBytes: 1e6 } },
  { what: 'fakeDatabasePlugin', call: fakeDatabasePlugin as Case['call'], options: { credentialTypes: ['password'] } },
  { what: 'fakeCloudProvider', call: fakeCloudProvider as Case['call'], options: { readyTimeoutMs: 5000 } },
  {
    what: 'simulatedNetwork',
    call: (options) => simulatedNetwork({ clock: systemClock, seed: 1, ...options } as never),
    options: { delayMs: 5000 },
  },
]

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Options with the value at a path such as `cache.stalenessMs`. */
const at = (path: string, value: unknown): Options => {
  const [name = '', ...below] = path.split('.')
  return { [name]: below.length === 0 ? value : at(below.join('.'), value) }
}

const merged = (one: Options, other: Options): Options =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => {
      const [a, b] = [one[name], other[name]]
      const isNested = a !== undefined && b !== undefined
      return [name, isNested ? merged(a as Options, b as Options) : (a ?? b)]
    }),
  )

const lastNameIn = (path: string): string => path.slice(path.lastIndexOf('.') + 1)

/** Errors about options that both constructors of a configuration service share name the service. */
const speaker = (what: string, path: string): string =>
  what === 'createConfigService' && /^(acl|naming)\./.test(path) ? 'configsvc' : what

/** The part of Temporal.Duration that option parsing uses. */
const temporal = (ms: number, fixed = true) => ({
  [Symbol.toStringTag]: 'Temporal.Duration',
  total(unit: string): number {
    if (!fixed) throw new RangeError('a starting point is required')
    return unit === 'milliseconds' ? ms : Number.NaN
  },
})

/** Returns the error that a call throws, if any. An unsuitable `previousSeal` is not an error of option parsing. */
const refusalOf = async (call: () => unknown): Promise<Error | undefined> => {
  try {
    await call()
    return undefined
  } catch (error) {
    return error as Error
  }
}

describe.each(CASES)('the options of $what', ({ what, call, options }) => {
  for (const [path, value] of Object.entries(options)) {
    it(`accept ${path} in camelCase or snake_case but not in both`, async () => {
      const lower = path.split('.').map(snake).join('.')
      expect(await refusalOf(() => call(at(path, value)))).toBeUndefined()
      expect(await refusalOf(() => call(at(lower, value)))).toBeUndefined()
      if (lastNameIn(lower) === lastNameIn(path)) return
      const both = merged(at(path, value), at(path.slice(0, path.lastIndexOf('.') + 1) + snake(lastNameIn(path)), value))
      expect(await refusalOf(() => call(both))).toEqual(
        new TypeError(`${speaker(what, path)}: ${path} is given twice, in camelCase and in snake_case`),
      )
    })

    if (path.endsWith('Ms'))
      it(`accept ${path} as a duration string or Temporal.Duration`, async () => {
        for (const good of ['5s', '5000ms', temporal(5000)])
          expect(await refusalOf(() => call(at(path, good))), String(good)).toBeUndefined()
        for (const bad of ['5', '', 'soon', '5 s', '-5s', temporal(Number.NaN, false), true, null])
          expect(await refusalOf(() => call(at(path, bad))), String(bad)).toBeInstanceOf(TypeError)
      })
  }

  it('are refused with an unknown name, also in nested options', async () => {
    for (const path of ['misspelled', ...Object.keys(options).filter((name) => name.includes('.'))]) {
      const unknown = `${path.slice(0, path.lastIndexOf('.') + 1)}misspelled`
      expect(await refusalOf(() => call(at(unknown, 1)))).toEqual(
        new TypeError(`${speaker(what, unknown)}: unknown option ${unknown}`),
      )
    }
  })
})

describe('duration parameters of typed calls', () => {
  it('may be seconds, a duration string or a Temporal.Duration', async () => {
    const kernel = await createDevKernel()
    const ttlOf = async (ttl: unknown) => {
      const { client_token } = await kernel.tokens.createToken({ policies: ['default'], ttl } as never)
      return (await kernel.tokens.lookupToken({ token: client_token })).creation_ttl
    }
    for (const ttl of [5400, '5400', '1h30m', '90m', temporal(5_400_000)]) expect(await ttlOf(ttl)).toBe(5400)
    const refused = kernel.tokens.createToken({ policies: ['default'], ttl: temporal(0, false) } as never)
    await expect(refused).rejects.toThrow(TypeError)
    await kernel.close()
  })
})
