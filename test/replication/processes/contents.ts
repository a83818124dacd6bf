/**
 * Reads the data that the load has written to a cluster through its API.
 */
import type { Kernel } from '../../../src/index.ts'
import { missing, PAIRS, versionOf } from './load.ts'

export type Contents = Readonly<Record<string, string>>

export async function contentsOf(kernel: Kernel): Promise<Contents> {
  const { kv, kv2, transit, mounts, policies } = kernel
  const found: Record<string, string> = {}
  const pairs = kv2.at(PAIRS)
  for (const path of await namesIn(pairs.listSecrets())) {
    const { data } = await pairs.readSecret({ path })
    found[`pair ${path}`] = String(data?.['version'])
    if (data?.['version'] !== (await versionOf(pairs, path))) throw new Error(`${path} has another version than it says`)
  }
  for (const name of await namesIn(transit.listKeys())) {
    const { latest_version } = await transit.readKey({ name })
    const { ciphertext } = await transit.encrypt({ name, plaintext: Uint8Array.of(1) })
    await transit.decrypt({ name, ciphertext })
    found[`key ${name}`] = String(latest_version)
  }
  for (const folder of await namesIn(kv.listSecrets()))
    for (const name of await namesIn(kv.listSecrets({ path: folder }))) {
      const path = folder + name
      found[`secret ${path}`] = textOf(await kv.readSecret({ path }))
    }
  for (const path of Object.keys((await mounts.listMounts()).mounts).filter((path) => path.startsWith('place-'))) {
    const only = await missing(kv.at(path).readSecret({ path: 'only' }))
    found[`mount ${path.slice(0, -1)}`] = only ? textOf(only) : ''
  }
  for (const name of (await policies.listPolicies()).keys.filter((name) => name.startsWith('place-')))
    found[`policy ${name}`] = (await policies.readPolicy({ name })).policy
  return found
}

const textOf = ({ data }: { readonly data: unknown }): string => String((data as { readonly n?: unknown }).n)

const namesIn = async (listed: Promise<{ readonly keys: readonly string[] }>): Promise<readonly string[]> =>
  (await missing(listed))?.keys ?? []
