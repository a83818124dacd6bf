import { type ItemCopier, type MigrationItem, refused, type Sides } from './item.ts'
import { pathOf } from './party.ts'
import { sameValue } from './same-value.ts'

const pathIn = ({ mount, name }: MigrationItem): string => `${pathOf(mount)}${pathOf(name)}`

async function compare({ from, to }: Sides, item: MigrationItem) {
  const [source, target] = [await from.call('GET', pathIn(item)), await to.call('GET', pathIn(item))]
  return { source: source.data, target: target.data, isSame: sameValue(source.data, target.data) }
}

/** Copies secrets of KV version 1. */
export const KV1_COPIER: ItemCopier = {
  async copy(sides, item) {
    const { source, target, isSame } = await compare(sides, item)
    if (!source || isSame) return undefined
    if (target) return refused('the target has another secret at this path')
    await sides.to.call('POST', pathIn(item), source)
    return undefined
  },
  async verify(sides, item) {
    const { isSame } = await compare(sides, item)
    return isSame ? undefined : 'the secrets differ'
  },
}
