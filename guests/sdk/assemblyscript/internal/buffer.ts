/** The buffer that the host writes requests to. */
export let request: ArrayBuffer = new ArrayBuffer(0);

/** Replaces the buffer. The old one stays as long as something looks into it. */
export function newRequest(size: i32): ArrayBuffer {
  request = new ArrayBuffer(size);
  return request;
}
