import { type ItemCopier, type MigrationItem, refused, type Sides } from './item.ts'
import { type Caller, pathOf } from './party.ts'
import { sameValue } from './same-value.ts'

/** Copies policies of one type. @param folder `acl` or `password`. */
export function policyCopier(folder: 'acl' | 'password'): ItemCopier {
  const read = async (caller: Caller, name: string) => {
    const { data } = await caller.call('GET', `sys/policies/${folder}/${pathOf(name)}`)
    return data && { policy: data['policy'], expiration: data['expiration'] ?? null, cas_required: data['cas_required'] === true }
  }
  const compare = async ({ from, to }: Sides, { name }: MigrationItem) => {
    const [source, target] = [await read(from, name), await read(to, name)]
    return { source, target, isSame: sameValue(source, target) }
  }
  return {
    async copy(sides, item) {
      const { source, target, isSame } = await compare(sides, item)
      if (!source || isSame) return undefined
      if (target) return refused('the target has another policy of this name')
      const { policy, expiration, cas_required } = source
      const body = { policy, ...(expiration !== null && { expiration }), ...(cas_required && { cas_required }) }
      await sides.to.call('POST', `sys/policies/${folder}/${pathOf(item.name)}`, body)
      return undefined
    },
    async verify(sides, item) {
      const { isSame } = await compare(sides, item)
      return isSame ? undefined : 'the policies differ'
    },
  }
}
