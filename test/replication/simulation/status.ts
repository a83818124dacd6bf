/** What a kernel says of its part in the set. */
import type { Kernel } from '../../../src/kernel.ts'

export interface Status {
  readonly mode: string
  readonly state?: string
  readonly merkle_root?: string
  readonly last_error?: string
  readonly last_remote_wal?: number
}

export const statusOf = async (kernel: Kernel): Promise<Status> => (await kernel.replication.readStatus()) as unknown as Status
