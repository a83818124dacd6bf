/** Replaces key shares. Current key shares authorize the replacement instead of a token. */
import { notFound } from '../../base/errors.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import { dropBackup, readShareBackup, type ShareBackup } from './records.ts'
import { type AttemptParts, Rekey } from './rekey.ts'
import type { RekeyKind } from './rekey-attempt.ts'

/** The rekey attempts of the current kernel. */
export const REKEY_ATTEMPTS = /* @__PURE__ */ new KernelService<RekeyAttempts>()

export class RekeyAttempts {
  /** Replaces the shares of the unseal key. */
  readonly barrier: Rekey
  /** Replaces the shares of the recovery key, which authorizes operations but cannot unseal the store. */
  readonly recovery: Rekey
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
    this.barrier = new Rekey('barrier', parts)
    this.recovery = new Rekey('recovery', parts)
    parts.keeper.onOpen(() => this.#opened())
    parts.keeper.onSeal(() => this.#forget())
  }

  /** @throws KernelError 400 if there is no backup. */
  async backup(kind: RekeyKind): Promise<ShareBackup> {
    const backup = await readShareBackup(this.#parts.keeper.parts.store, kind)
    if (!backup) throw notFound('no backed-up keys found', 400)
    return backup
  }

  async deleteBackup(kind: RekeyKind): Promise<void> {
    await this.#parts.keeper.parts.store.commit([dropBackup(kind)])
  }

  /**
   * Called when this process has unsealed the store. Ends attempts that cannot be continued, because their new key was only in the memory
   * of a process that has stopped.
   */
  async #opened(): Promise<void> {
    await this.barrier.opened()
    await this.recovery.opened()
  }

  #forget(): void {
    for (const attempt of [this.barrier, this.recovery]) attempt.forget()
  }
}
