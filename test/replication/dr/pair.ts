/** A primary and its DR secondary. */
import type { Kernel } from '../../../src/index.ts'
import type { Clusters } from '../clusters/cluster.ts'

/** A DR activation token. */
export async function drTokenOf(primary: Kernel, id: string): Promise<string> {
  const { wrap_info } = await primary.replication.dr.createSecondaryToken({ id })
  return wrap_info?.token ?? ''
}

/** @throws the first failure of the tick. */
export async function ticked(kernel: Kernel): Promise<void> {
  const { failed } = await kernel.tick()
  if (failed.length > 0) throw failed[0]?.error
}

/** A DR secondary in sync with its primary. */
export async function mirrorOf(primary: Kernel, { make }: Clusters, id = 'mirror', options = {}): Promise<Kernel> {
  const secondary = await make(options)
  await secondary.replication.dr.enableSecondary({ token: await drTokenOf(primary, id) })
  await ticked(secondary)
  return secondary
}

export async function drPair(all: Clusters, options = {}): Promise<readonly [Kernel, Kernel]> {
  const primary = await all.make(options)
  await primary.kv.writeSecret({ path: 'before', data: { at: 'the beginning' } })
  await primary.replication.dr.enablePrimary()
  return [primary, await mirrorOf(primary, all, 'mirror', options)]
}

export const drRootOf = async (kernel: Kernel): Promise<string | undefined> =>
  (await kernel.replication.dr.readStatus()).merkle_root
