import { gcm } from '@noble/ciphers/aes.js'
import type { Aead } from './codecs.ts'

const TAG_BYTES = 16

export const aes256GcmCodec: Aead = {
  open(key, iv, tag, data) {
    const sealed = new Uint8Array(data.length + TAG_BYTES)
    sealed.set(data)
    sealed.set(tag, data.length)
    const cipher = gcm(key, iv)
    try {
      return cipher.decrypt(sealed)
    } catch {
      // The lengths are right, so only a wrong tag can fail here.
      return undefined
    }
  },
  seal(key, iv, data) {
    const sealed = gcm(key, iv).encrypt(data)
    return { data: sealed.subarray(0, data.length), tag: sealed.subarray(data.length) }
  },
}
