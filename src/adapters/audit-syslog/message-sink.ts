import { KernelError } from '../../core/base/errors.ts'
import type { AuditEntry } from '../../core/contract/audit-entry.ts'
import type { AuditSink } from '../../core/contract/audit-port.ts'
import type { Endpoint, Transport } from '../audit/endpoint.ts'
import { EntryQueue } from '../audit/entry-queue.ts'
import { StreamTransport } from '../audit/stream-transport.ts'
import { DatagramTransport } from './datagram-transport.ts'

/** A sink that sends each entry to a server as one message. */
export interface MessageSink extends AuditSink {
  /** Closes the connection after the waiting entries were sent. A later entry opens the connection again. */
  close(): Promise<void>
}

export interface MessageSinkParts {
  /** The public function that made the sink, for messages. */
  readonly what: string
  readonly endpoint: Endpoint
  /** The maximum length of a message, without its frame. */
  readonly maxMessageBytes: number
  /** The message of an entry's line. */
  readonly messageOf: (line: string) => Buffer
  /** Marks the end of a message in a stream. Not used for datagrams. */
  readonly frame: (message: Buffer) => Buffer
}

/** Waiting messages are sent in one piece up to this number of bytes. */
const MAX_BATCH_BYTES = 65_536

export function messageSink({ what, endpoint, maxMessageBytes, messageOf, frame }: MessageSinkParts): MessageSink {
  const isDatagram = endpoint.transport === 'udp'
  const transport: Transport = isDatagram ? new DatagramTransport(what, endpoint) : new StreamTransport(what, endpoint)
  const queue = new EntryQueue({
    what,
    maxBatchBytes: isDatagram ? 0 : MAX_BATCH_BYTES,
    send: (batch, signal) => transport.send(batch.length === 1 ? (batch[0] as Buffer) : Buffer.concat(batch), signal),
  })
  return {
    async open(signal = new AbortController().signal) {
      try {
        await transport.open(signal)
      } catch (cause) {
        if (signal.aborted) throw cause
        throw new KernelError('ERR_INVALID_REQUEST', (cause as Error).message, { cause })
      }
    },
    async write({ line }: AuditEntry, signal?: AbortSignal) {
      const message = messageOf(line)
      if (message.length > maxMessageBytes)
        throw new Error(`${what}: the entry has ${message.length} bytes, and a message may have ${maxMessageBytes} bytes`)
      await queue.add(isDatagram ? message : frame(message), signal)
    },
    async close() {
      await queue.idle()
      transport.close()
    },
  }
}
