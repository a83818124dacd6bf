import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

export declare function converse(
  connect: () => Duplex,
  packets: readonly string[],
  options?: { readonly answerCount?: number; readonly halfClose?: boolean; readonly patience?: number },
): Promise<{ readonly answers: readonly RawAnswer[]; readonly closed: boolean }>

export declare const tcp: (server: Server) => () => Duplex

export declare function until(holds: () => boolean | Promise<boolean>): Promise<void>
