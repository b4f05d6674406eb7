import type { Type } from '@nestjs/common';
import { apiDocument } from './api-document.js';

/** What `GET /openapi.json` answers, rendered once when the program starts. */
export class ApiDescription {
  private constructor(readonly json: string) {}

  /** @param publicUrl base of this service as its users see it */
  static async of(controllers: Type[], publicUrl: string): Promise<ApiDescription> {
    return new ApiDescription(JSON.stringify(await apiDocument(controllers, publicUrl.replace(/\/+$/, ''))));
  }
}
