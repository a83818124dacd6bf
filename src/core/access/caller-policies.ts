/** Combines the policies of a caller into an ACL. Belongs to the part `policies()`, which a kernel can do without. */
import type { Tx } from '../contract/tx.ts'
import { type Acl, ALWAYS, aclOf, type CompiledRules, cutAt, isValidAt, type Validity } from '../policy/index.ts'
import type { Host } from '../transaction/host.ts'
import { loadAllInGroups } from '../transaction/load-all.ts'
import { CompiledPolicyCache } from './compiled-policy-cache.ts'
import { policyOf, storedPolicy } from './policies.ts'
import type { AclSource, PolicyHolder } from './token-authenticator.ts'

interface CachedAcl {
  readonly acl: Acl
  /** The compiled rules that the ACL combines. The ACL can be used again while they are unchanged. */
  readonly parts: readonly CompiledRules[]
  /** The period in which the caller has exactly the rules of this ACL. */
  readonly validity: Validity
  readonly epoch: number
}

const MAX_CACHED_ACLS = 1000

export class CallerPolicies implements AclSource {
  readonly #acls = new Map<string, CachedAcl>()
  readonly #compiled: CompiledPolicyCache

  constructor(host: Host) {
    this.#compiled = new CompiledPolicyCache(host.clock)
  }

  aclOf(tx: Tx, { namespace, policies: names, entity }: PolicyHolder, epoch: number, current: number): Acl {
    const key = JSON.stringify([namespace.uuid, names, entity?.id])
    const known = this.#acls.get(key)
    if (known?.epoch === current && isValidAt(known.acl.validity, tx.now)) return known.acl
    const records = loadAllInGroups(tx, `policy records of ${key}`, names, (name) => storedPolicy(tx, namespace, name))
    const validity = records.reduce((span, record) => cutAt(span, record?.ends, tx.now), ALWAYS)
    const held = names.flatMap((name, index) => {
      const text = policyOf(records[index], name, tx.now)?.text
      return text === undefined ? [] : [{ id: `${namespace.uuid}/${name}`, name, namespace: namespace.path, text }]
    })
    const parts =
      this.#compiled.now(held, entity, tx.now) ??
      tx.once(`policies of ${key}`, () => this.#compiled.inSlices(held, entity, tx.now), 'attempt')
    const acl = known && isSame(known, parts, validity) ? known.acl : aclOf(parts, validity)
    if (this.#acls.size >= MAX_CACHED_ACLS) this.#acls.clear()
    this.#acls.set(key, { acl, parts, validity, epoch })
    return acl
  }

  forget(): void {
    this.#acls.clear()
    this.#compiled.clear()
  }
}

const isSame = (known: CachedAcl, parts: readonly CompiledRules[], { from, until }: Validity): boolean =>
  known.validity.from === from &&
  known.validity.until === until &&
  known.parts.length === parts.length &&
  known.parts.every((part, i) => part === parts[i])
