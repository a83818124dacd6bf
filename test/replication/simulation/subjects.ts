/** The things that the simulation writes and reads through the API. */
import type { Kernel } from '../../../src/index.ts'
import { KernelError } from '../../../src/index.ts'
import { ABSENT } from './model.ts'

/** A mount without a secret. */
export const EMPTY_MOUNT = 'empty'

/** All replicated subjects of the simulation. */
export const SHARED: readonly string[] = [
  ...['a', 'b', 'c/d', 'e'].map((path) => `v1:${path}`),
  ...['a', 'b'].map((path) => `v2:${path}`),
  ...['p1', 'p2'].map((name) => `policy:${name}`),
  ...['k1', 'k2'].map((name) => `key:${name}`),
  ...['m1', 'm2', 'm3'].map((path) => `mount:${path}`),
  ...['n1', 'n2'].map((name) => `space:${name}`),
]

/** The only mount that a namespace can have here. */
export const INNER_MOUNT = 'in'

/** A namespace without that mount. */
export const BARE = 'bare'

const refusedAs =
  (...statuses: readonly number[]) =>
  (error: unknown): typeof ABSENT => {
    if (error instanceof KernelError && statuses.includes(error.status)) return ABSENT
    throw error
  }

const absent = refusedAs(404)

const text = (data: unknown): string => String((data as { readonly v?: unknown } | undefined)?.v)

/** Reads the mount itself, because its namespace may exist as a record only, without the mount that lists mounts. */
async function mountAt({ kv }: Pick<Kernel, 'kv'>, path: string): Promise<string> {
  try {
    return text((await kv.at(`${path}/`).readSecret({ path: 'x' })).data)
  } catch (error) {
    if (!(error instanceof KernelError) || error.status !== 404) throw error
    return error.code === 'ERR_UNSUPPORTED_PATH' ? ABSENT : EMPTY_MOUNT
  }
}

async function spaceAt(kernel: Kernel, name: string): Promise<string> {
  const found = await kernel.namespaces.readNamespace({ name }).catch(refusedAs(400, 404))
  if (found === ABSENT) return ABSENT
  const inner = await mountAt(kernel.namespace(`${name}/`), INNER_MOUNT)
  return inner === ABSENT ? BARE : inner
}

type Reader = (kernel: Kernel, name: string) => Promise<string>

const READERS: Readonly<Record<string, Reader>> = {
  v1: async (kernel, path) => kernel.kv.readSecret({ path }).then(({ data }) => text(data), absent),
  v2: async (kernel, path) =>
    kernel.kv2
      .at('two/')
      .readSecret({ path })
      .then(({ data }) => (data ? text(data) : ABSENT), absent),
  policy: async (kernel, name) => kernel.policies.readPolicy({ name }).then(({ policy }) => policy, absent),
  key: async (kernel, name) => kernel.transit.readKey({ name }).then(({ latest_version }) => String(latest_version), absent),
  mount: mountAt,
  space: spaceAt,
  local: mountAt,
  token: async (kernel, token) => kernel.tokens.lookupToken({ token }).then(() => 'alive', refusedAs(400, 403, 404)),
  cubbyhole: async (kernel, token) =>
    kernel
      .as(token)
      .cubbyhole.readEntry({ path: 'x' })
      .then(({ data }) => text(data), refusedAs(403, 404)),
}

/** @param subject `<kind>:<name>`. */
export function readSubject(kernel: Kernel, subject: string): Promise<string> {
  const at = subject.indexOf(':')
  return (READERS[subject.slice(0, at)] as Reader)(kernel, subject.slice(at + 1))
}
