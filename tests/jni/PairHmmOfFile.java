// Likelihoods of a file of groups (the input of `fastid pairhmm`), computed by com.intel.gkl.pairhmm.IntelPairHmm with
// whichever library Java finds. Prints a line for each read, then what was loaded.
//
//   PairHmmOfFile FILE IntelPairHmm|IntelPairHmmOMP THREADS float|double
import com.intel.gkl.pairhmm.IntelPairHmm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Iterator;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;

public class PairHmmOfFile {
    static byte[] qualities(String letters) {
        byte[] bytes = letters.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < bytes.length; ++i) bytes[i] -= 33;
        return bytes;
    }

    static ReadDataHolder read(String line) {
        String[] columns = line.split(" ");
        ReadDataHolder read = new ReadDataHolder();
        read.readBases = columns[0].getBytes(StandardCharsets.US_ASCII);
        read.readQuals = qualities(columns[1]);
        read.insertionGOP = qualities(columns[2]);
        read.deletionGOP = qualities(columns[3]);
        read.overallGCP = qualities(columns[4]);
        return read;
    }

    static void print(double[] likelihoods, int columns) {
        for (int i = 0; i < likelihoods.length; ++i)
            System.out.printf("%.6f%c", likelihoods[i], (i + 1) % columns == 0 ? '\n' : '\t');
    }

    public static void main(String[] args) throws Exception {
        IntelPairHmm model =
            (IntelPairHmm) Class.forName("com.intel.gkl.pairhmm." + args[1]).getDeclaredConstructor().newInstance();
        if (!model.load(null)) throw new IllegalStateException("the library is not to be loaded");
        PairHMMNativeArguments arguments = new PairHMMNativeArguments();
        arguments.maxNumberOfThreads = Integer.parseInt(args[2]);
        arguments.useDoublePrecision = args[3].equals("double");
        model.initialize(arguments);
        Iterator<String> lines = Files.readAllLines(Paths.get(args[0])).iterator();
        while (lines.hasNext()) {
            String[] counts = lines.next().split(" ");
            ReadDataHolder[] reads = new ReadDataHolder[Integer.parseInt(counts[0])];
            HaplotypeDataHolder[] haplotypes = new HaplotypeDataHolder[Integer.parseInt(counts[1])];
            for (int i = 0; i < reads.length; ++i) reads[i] = read(lines.next());
            for (int i = 0; i < haplotypes.length; ++i) {
                haplotypes[i] = new HaplotypeDataHolder();
                haplotypes[i].haplotypeBases = lines.next().getBytes(StandardCharsets.US_ASCII);
            }
            double[] likelihoods = new double[reads.length * haplotypes.length];
            try {
                model.computeLikelihoods(reads, haplotypes, likelihoods);
                print(likelihoods, haplotypes.length);
            } catch (IllegalArgumentException error) {
                System.out.println("refused: " + error.getMessage());
            }
        }
        model.done();
        for (String line : Files.readAllLines(Paths.get("/proc/self/maps")))
            if (line.contains("gkl_pairhmm") && line.contains("r-x")) System.out.println("loaded " + line.replaceAll(".* ", ""));
    }
}
