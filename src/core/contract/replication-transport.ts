/** The port for messages between the clusters of a replication set. */

/**
 * The maximum length in bytes of a message in either direction. A transport must refuse a longer message before it allocates memory for the
 * message.
 */
export const MAX_REPLICATION_MESSAGE_BYTES = 8_388_608

/**
 * Returns the answer to a message. A forged message also gets an answer, so that the promise does not reject.
 * @param fromMember Called before the answer if the sender of the message is a member of the set. If a transport must close connections, it
 * should keep the connections of members.
 */
export type MessageHandler = (message: Uint8Array, fromMember?: () => void) => Promise<Uint8Array>

/** A listener at one address. */
export interface TransportListener {
  /** The address at which the listener can be reached: the requested address, or the address that the transport chose. */
  readonly address: string
  /** Accepts no further messages. Answers in flight may be lost. Idempotent. */
  close(): Promise<void>
}

/**
 * Transfers messages between clusters; each message has one answer. A transport need not be trusted, because messages are encrypted and
 * authenticated end to end. It may lose, repeat, delay and reorder messages; a repeated message is answered twice. All methods may be
 * called concurrently.
 */
export interface ReplicationTransport {
  /**
   * Starts to answer messages sent to `address`. If several listeners have the same address, any of them may receive a message.
   * @param address An address in the syntax of the transport. If empty, the transport chooses the address.
   * @param handler The handler becomes the owner of its argument, and the transport becomes the owner of the handler's result.
   * @throws if it is not possible to listen at the address.
   */
  listen(address: string, handler: MessageHandler): Promise<TransportListener>
  /**
   * Sends a message and resolves with the answer, which belongs to the caller. Rejects if no listener answers, the connection is lost, the
   * message or the answer exceeds {@link MAX_REPLICATION_MESSAGE_BYTES}, or `signal` is aborted. After an abort, it rejects at once and
   * must release all resources of the call.
   * @param bytes The message. Neither the transport nor the caller may change the bytes until the promise settles, and the transport must
   * not use them afterwards.
   */
  request(address: string, bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
}
