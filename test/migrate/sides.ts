/** The sides of migrations in tests: kernels with content, servers, and what a client sees of them. */
import { createKernel, type Kernel, type KernelOptions, keySeal, memoryStorage } from '../../src/index.ts'
import { NAMING, type Serving, serve } from '../clients/serve.ts'

export const newKernel = (options: Partial<KernelOptions> = {}): Promise<Kernel> =>
  createKernel({
    storage: memoryStorage(),
    seal: keySeal(new Uint8Array(32).fill(5)),
    initialize: true,
    naming: NAMING,
    ...options,
  })

/** Sends a request with the root token. */
export async function ask(kernel: Kernel, method: string, path: string, body?: unknown, query?: Record<string, string>) {
  const headers = { 'X-Vault-Token': kernel.rootToken as string }
  const { status, body: answer } = await kernel.handle({ method, path: `/v1/${path}`, headers, body, query })
  if (![200, 204, 404].includes(status)) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
  return { status, data: (answer as { data?: Record<string, unknown> } | undefined)?.data }
}

/** A served kernel as a side of a migration. `close` also closes the kernel. */
export async function served(kernel: Kernel): Promise<Serving & { readonly party: { address: string; token: string } }> {
  const serving = await serve(kernel)
  return { ...serving, party: { address: serving.endpoint, token: kernel.rootToken as string } }
}

/** Members that a copy does not have in common with its source. */
const NOT_COPIED = /_time$|_info$|imported|^(current_metadata_version|encryptions)$/

/** The value without times and origins. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !NOT_COPIED.test(name))
  return Object.fromEntries(
    members.map(([name, inner]) => {
      if (name === 'deletion_time') return [name, inner !== '']
      return [name, comparable(inner)]
    }),
  )
}

const textOf = (data: unknown): string =>
  JSON.stringify(comparable(data), (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

/** Everything that a client can read of the KV mounts and policies, as one text per item. */
export async function contentOf(kernel: Kernel, mounts: Readonly<Record<string, 1 | 2>>): Promise<ReadonlyMap<string, string>> {
  const content = new Map<string, string>()
  const keep = (name: string, data: unknown) => content.set(name, textOf(data))
  for (const [mount, version] of Object.entries(mounts)) {
    if (version === 2) keep(`${mount} config`, (await ask(kernel, 'GET', `${mount}/config`)).data)
    const open = ['']
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { data } = await ask(kernel, 'LIST', `${mount}${version === 2 ? '/metadata' : ''}/${at}`.replace(/\/$/, ''))
      for (const name of (data?.['keys'] ?? []) as string[])
        if (name.endsWith('/')) open.push(`${at}${name}`)
        else await keepSecret(`${at}${name}`)
    }
    async function keepSecret(name: string) {
      const path = encodeURI(name)
      if (version === 1) {
        keep(`${mount} ${name}`, (await ask(kernel, 'GET', `${mount}/${path}`)).data)
        return
      }
      const { data } = await ask(kernel, 'GET', `${mount}/metadata/${path}`)
      keep(`${mount} ${name}`, data)
      for (const [number, state] of Object.entries(
        data?.['versions'] as Record<string, { deletion_time: string; destroyed: boolean }>,
      ))
        if (!state.destroyed && state.deletion_time === '') {
          const read = await ask(kernel, 'GET', `${mount}/data/${path}`, undefined, { version: number })
          keep(`${mount} ${name} ${number}`, read.data?.['data'])
        }
    }
  }
  for (const folder of ['acl', 'password'])
    for (const name of ((await ask(kernel, 'LIST', `sys/policies/${folder}`)).data?.['keys'] ?? []) as string[])
      if (name !== 'root')
        keep(`${folder} ${name}`, (await ask(kernel, 'GET', `sys/policies/${folder}/${name}`)).data?.['policy'])
  return content
}

/** The keys of a transit mount as a client sees them. */
export async function keysOf(kernel: Kernel, mount = 'transit'): Promise<ReadonlyMap<string, string>> {
  const names = ((await ask(kernel, 'LIST', `${mount}/keys`)).data?.['keys'] ?? []) as string[]
  const content = new Map<string, string>()
  for (const name of names) {
    const { data } = await ask(kernel, 'GET', `${mount}/keys/${name}`)
    // The versions of symmetric keys are shown as their creation times.
    content.set(name, textOf(data).replaceAll(/"(\d+)":\d+/g, '"$1":"symmetric"'))
  }
  return content
}
