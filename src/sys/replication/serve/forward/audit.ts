/**
 * Writes the audit entries of a request that a secondary forwards. Requests that are refused before their operation is known also get
 * entries.
 */
import type { AnswerToAudit } from '../../../../core/audit/answer-text.ts'
import type { AuditedRequest } from '../../../../core/audit/audit-basis.ts'
import type { RequestRecord } from '../../../../core/audit/record-request.ts'
import { uuid } from '../../../../core/base/identifiers.ts'
import { ANONYMOUS, type Caller } from '../../../../core/contract/caller.ts'
import type { NamespaceRecord } from '../../../../core/contract/namespace.ts'
import type { Values } from '../../../../core/field/parse.ts'
import type { Mount } from '../../../../core/mount/mount.ts'
import type { ReplicationContext } from '../../replication-context.ts'
import type { Message } from '../../wire/message-members.ts'

/**
 * The maximum number of characters of the recorded path. Applies only while the mount is not known, because the path is then copied from
 * the message.
 */
const MAX_PATH = 1024

/** The members of the audit entry that become known when the message has been read. */
export interface RecordedPlace {
  readonly verb: string
  readonly namespace: NamespaceRecord
  /** The path relative to the namespace. */
  readonly path: string
  readonly trailingSlash: boolean
  readonly mount: Mount
  readonly remoteAddress: string | undefined
  readonly wrapTtl: number
  readonly data: Values
}

export class ForwardedAudit {
  /** Undefined if this cluster has no audit device. */
  readonly record: RequestRecord | undefined
  readonly #request: { -readonly [K in keyof AuditedRequest]: AuditedRequest[K] }

  constructor({ internals, host }: ReplicationContext, message: Message, secondary: string) {
    const path = message['path']
    this.#request = {
      id: uuid(host.env.entropy.bytes(16)),
      verb: 'POST',
      token: undefined,
      data: {},
      headers: new Map(),
      remoteAddress: undefined,
      wrapTtl: 0,
      secondary,
    }
    const { trail } = internals.audit
    const shown = typeof path === 'string' ? path.slice(0, MAX_PATH) : ''
    this.record = trail && internals.audit.begin(trail, this.#request, shown)
  }

  leadsTo({ verb, data, remoteAddress, wrapTtl, ...destination }: RecordedPlace): void {
    Object.assign(this.#request, { verb, data, remoteAddress, wrapTtl })
    this.record?.setDestination(destination)
  }

  /**
   * Runs `work`, and then writes the response entry. If `work` fails before it has called `ask`, also writes the request entry.
   *
   * @throws KernelError ERR_AUDIT if an entry cannot be written.
   */
  async around<T>(work: () => Promise<T>, answerOf: (value: T) => AnswerToAudit): Promise<T> {
    return this.record ? this.record.around(work, answerOf) : work()
  }

  /** Writes the request entry. The operation must not run before this entry is written. */
  async ask(caller: Caller = ANONYMOUS): Promise<void> {
    if (!this.record) return
    this.record.caller = caller
    await this.record.ask()
  }
}
