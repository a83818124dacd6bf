/** A primary that another cluster replaced while it was unreachable. */
import type { Kernel, Storage } from '../../../src/index.ts'
import { enable, follow, type KindOfSet, sideOf, ticked, type World } from './world.ts'

export const REFUSALS: Readonly<Record<KindOfSet, string>> = { performance: 'ERR_READ_ONLY', dr: 'ERR_DR_SECONDARY' }

/** A primary that does not know of its replacement, and a member of its set that does. */
export async function replaced(
  world: World,
  storage: Storage,
  kind: KindOfSet,
): Promise<{ readonly former: Kernel; readonly member: Kernel }> {
  const former = await world.open('a', { storage })
  await enable(former, kind)
  const [successor, member] = [await world.open('b'), await world.open('c')]
  await follow(successor, former, kind, 'b')
  await follow(member, former, kind, 'c')
  world.cut.add('a')
  await sideOf(successor, kind).promote()
  const { wrap_info } = await sideOf(successor, kind).createSecondaryToken({ id: 'c' })
  await sideOf(member, kind).updatePrimary({ token: wrap_info?.token ?? '' })
  await ticked(member)
  world.cut.clear()
  return { former, member }
}

/** Points the member to the former primary, so that it sends its greeting with the newer epoch. */
export async function greet(member: Kernel, former: Kernel, kind: KindOfSet): Promise<void> {
  const { wrap_info } = await sideOf(former, kind).createSecondaryToken({ id: 'again' })
  await sideOf(member, kind).updatePrimary({ token: wrap_info?.token ?? '' })
  await member.tick()
}
