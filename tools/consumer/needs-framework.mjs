/** Entries that extend a framework, so they can be imported only where it is installed. `peers.ts` compiles programs with them. */
export const NEEDS_FRAMEWORK = ['./nestjs', './otel']
