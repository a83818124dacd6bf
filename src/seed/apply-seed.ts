/** Creates the parts of a seed that a store lacks. */
import { KernelError } from '../core/base/errors.ts'
import { readOptions } from '../core/base/options.ts'
import { withoutOuterSlashes } from '../core/base/slashes.ts'
import type { Kernel } from '../kernel.ts'
import type { Seed, SeedMount } from './seed.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Validates the shape of a seed. The values are validated by the operations that create them.
 * @param what The function's name, for messages.
 * @throws TypeError for a seed with an unknown member, or with a member of the wrong type.
 */
export function readSeed(what: string, given: Seed): Seed {
  const seed = readOptions(what, given, { mounts: 1, policies: 1, keys: 1, secrets: 1 }, 'seed.')
  for (const [part, entries] of Object.entries(seed)) {
    if (entries === undefined) continue
    if (!isObject(entries)) throw new TypeError(`${what}: seed.${part} must be an object`)
    for (const [name, value] of Object.entries(entries)) {
      const valid = part === 'policies' ? typeof value === 'string' : isObject(value)
      if (!valid) throw new TypeError(`${what}: seed.${part}: ${name}: must be ${part === 'policies' ? 'a string' : 'an object'}`)
    }
  }
  for (const [path, mount] of Object.entries(seed.mounts ?? {}))
    readOptions(what, mount, { type: 1, description: 1, options: 1, config: 1 }, `seed.mounts: ${path}: `)
  return seed
}

/**
 * Creates the mounts, policies, keys and secrets that are missing. Several processes may apply a seed to one store at the same time.
 * @throws KernelError with the name of the part of the seed that cannot be created.
 */
export async function applySeed(kernel: Kernel, seed: Seed): Promise<void> {
  const { mounts = {}, policies = {}, keys = {}, secrets = {} } = seed
  for (const [path, mount] of Object.entries(mounts)) await applied(`mounts: ${path}`, () => seedMount(kernel, path, mount))
  for (const [name, policy] of Object.entries(policies))
    await applied(`policies: ${name}`, () => seedPolicy(kernel, name, policy))
  if (Object.keys(keys).length + Object.keys(secrets).length === 0) return
  const table = new MountTable(await mountsOf(kernel))
  for (const [path, settings] of Object.entries(keys))
    await applied(`keys: ${path}`, () => seedKey(kernel, table.locate(path, 'transit'), settings))
  for (const [path, data] of Object.entries(secrets))
    await applied(`secrets: ${path}`, () => seedSecret(kernel, table.locate(path, 'kv'), data))
}

/** Adds the name of the seed's part to the message of an error. */
async function applied(part: string, apply: () => Promise<void>): Promise<void> {
  try {
    await apply()
  } catch (error) {
    if (error instanceof KernelError)
      throw new KernelError(error.code, `seed.${part}: ${error.message}`, { status: error.status, cause: error })
    throw error
  }
}

const refused = (message: string): KernelError => new KernelError('ERR_INVALID_REQUEST', message)

/** Creates a thing unless it exists. If creating it fails, another process may have created it meanwhile. */
async function createIfMissing(exists: () => Promise<boolean>, create: () => Promise<unknown>): Promise<void> {
  if (await exists()) return
  try {
    await create()
  } catch (error) {
    if (!(await exists())) throw error
  }
}

/** Whether a read finds something: false for 404, and for the 400 with which Vault answers some unknown names. */
async function finds(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read()
    return true
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_NOT_FOUND') return false
    throw error
  }
}

interface MountInfo {
  readonly type: string
  readonly options: Readonly<Record<string, string>> | null
}

const mountsOf = async (kernel: Kernel): Promise<Readonly<Record<string, MountInfo>>> => (await kernel.mounts.listMounts()).mounts

/** `kv-v1` and `kv-v2` are names of the engine `kv` with a version. */
const engineOf = (type: string): string => type.replace(/^kv-v[12]$/, 'kv')

async function seedMount(kernel: Kernel, path: string, mount: SeedMount): Promise<void> {
  const exists = async (): Promise<boolean> => {
    const mounts = await mountsOf(kernel)
    const found = mounts[`${withoutOuterSlashes(path)}/`]
    if (found && engineOf(found.type) !== engineOf(mount.type))
      throw refused(`the mount at this path has the type ${found.type}, not ${mount.type}`)
    return found !== undefined
  }
  await createIfMissing(exists, () => kernel.mounts.createMount({ path, ...mount }))
}

const seedPolicy = (kernel: Kernel, name: string, policy: string): Promise<void> =>
  createIfMissing(
    () => finds(() => kernel.policies.readPolicy({ name })),
    () => kernel.policies.writePolicy({ name, policy }),
  )

interface LocatedPath {
  readonly mount: string
  readonly version: string
  /** The part of the path below the mount. */
  readonly rest: string
}

class MountTable {
  readonly #mounts: Readonly<Record<string, MountInfo>>

  constructor(mounts: Readonly<Record<string, MountInfo>>) {
    this.#mounts = mounts
  }

  /** The mount to which a path belongs. Mount paths do not contain each other, so at most one is found. */
  locate(path: string, type: string): LocatedPath {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const mount = path.slice(0, end + 1)
      const found = this.#mounts[mount]
      if (found && engineOf(found.type) === type)
        return { mount, version: found.options?.['version'] ?? '1', rest: path.slice(end + 1) }
    }
    throw refused(`no mount of the type ${type} is at the beginning of this path`)
  }
}

async function seedKey(kernel: Kernel, { mount, rest }: LocatedPath, settings: Readonly<Record<string, unknown>>): Promise<void> {
  const transit = kernel.transit.at(mount)
  const exists = async (): Promise<boolean> => {
    if (!(await finds(() => transit.readKey({ name: rest })))) return false
    const { type } = await transit.readKey({ name: rest })
    const wanted = settings['type']
    if (wanted !== undefined && wanted !== type) throw refused(`the key has the type ${type}, not ${String(wanted)}`)
    return true
  }
  await createIfMissing(exists, () => transit.createKey({ ...settings, name: rest }))
}

async function seedSecret(
  kernel: Kernel,
  { mount, version, rest }: LocatedPath,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (version === '2') {
    const secrets = kernel.kv2.at(mount)
    await createIfMissing(
      () => finds(() => secrets.readMetadata({ path: rest })),
      () => secrets.writeSecret({ path: rest, data, options: { cas: 0 } }),
    )
    return
  }
  const secrets = kernel.kv.at(mount)
  await createIfMissing(
    () => finds(() => secrets.readSecret({ path: rest })),
    () => secrets.writeSecret({ path: rest, data }),
  )
}
