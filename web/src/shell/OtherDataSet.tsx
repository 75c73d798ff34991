import { useQuery } from "../route/query";
import { Remark } from "../ui/Notice";

/** Says that a link was made of another data set than this one. */
export function OtherDataSet({ shown }: { readonly shown: string }) {
  const [query] = useQuery();
  const linked = query.get("v");
  if (linked === null || linked === shown) return null;
  return (
    <div className="mb-4">
      <Remark>
        This link was made of data set {linked}; here is {shown}. Numbers and texts may be other ones.
      </Remark>
    </div>
  );
}
