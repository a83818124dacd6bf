/** The port that carries messages between the clusters of a replication set. */

/** The limit for messages in both directions. A transport must refuse a longer message before it allocates memory for it. */
export const MAX_REPLICATION_MESSAGE_BYTES = 8_388_608

/**
 * Answers a message. It does not reject for forged messages: those are answered too.
 * @param fromMember Called before the answer if the message came from a member of the set. A transport that has to close connections keeps
 * those of members.
 */
export type MessageHandler = (message: Uint8Array, fromMember?: () => void) => Promise<Uint8Array>

/** A listener at one address. */
export interface TransportListener {
  /** The address to reach it: the requested one, or the one that the transport chose. */
  readonly address: string
  /** Idempotent. Accepts no further messages; answers in flight may be lost. */
  close(): Promise<void>
}

/**
 * Carries messages between clusters: one message, one answer. It need not be trusted, because messages are encrypted and authenticated end
 * to end. It may lose, repeat, delay and reorder them; a repeated message is answered twice. All methods may run concurrently.
 */
export interface ReplicationTransport {
  /**
   * Starts to answer messages sent to `address`. If several listeners have the same address, any of them may receive a message.
   * @param address In the transport's own syntax; empty if the transport chooses.
   * @param handler It owns its argument, and the transport owns its result.
   * @throws if the address cannot be listened at.
   */
  listen(address: string, handler: MessageHandler): Promise<TransportListener>
  /**
   * Sends a message and resolves with the answer, which belongs to the caller. Rejects if no listener answers, the connection is lost, the
   * message or the answer exceeds {@link MAX_REPLICATION_MESSAGE_BYTES}, or `signal` is aborted. After an abort it rejects at once and
   * leaves nothing behind.
   * @param bytes Lent until the promise settles.
   */
  request(address: string, bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
}
